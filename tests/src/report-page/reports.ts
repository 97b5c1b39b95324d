/** Reports over all checks of the suite, for the tests of the page. */
import { operations } from '@cdn/api/contract'
import {
  type CheckResult,
  countChecks,
  createPlan,
  type Exchange,
  type Outcome,
  type Report,
  type RunSummary,
  reportSchemaId,
  rollUp,
} from '@cdn/conformance'

const plan = createPlan()

const exchange: Exchange = {
  request: {
    method: 'POST',
    url: 'https://management.invalid/pullzone/2001/addAllowedReferrer',
    headers: { AccessKey: '[redacted]', 'Content-Type': 'application/json' },
    body: '{"Hostname":"a1.conformance.invalid"}',
  },
  response: { status: 500, headers: { 'content-type': 'application/json' }, body: `{"Message":"${'x'.repeat(600)}"}` },
  durationMs: 12,
}

/**
 * A report of a run in which each check of the plan ended as told; checks that did not pass have evidence.
 *
 * @param outcomeOf the outcome of a check by its place in the plan
 */
function reportWith(outcomeOf: (index: number) => Outcome): Report {
  const checks = plan.checks.map(({ id, requirements, ground, through, effect }, index): CheckResult => {
    const outcome = outcomeOf(index)
    const facts = {
      id,
      requirements,
      ground,
      through,
      effect,
      outcome,
      durationMs: index * 3,
      requests: 1 + (index % 40),
    }
    if (outcome === 'pass') return facts
    if (outcome === 'skip' || outcome === 'disabled') return { ...facts, message: `Not run: ${outcome}.` }
    const evidence = { expected: 'status 204', seen: 'status 500', exchanges: [exchange] }
    return { ...facts, message: `The answer to ${id} is wrong.`, evidence }
  })
  const requirements = plan.requirements.map(({ id, section, text, ground, interface: name, unchecked }) => {
    const own = checks.filter((check) => check.requirements.includes(id))
    const outcome = rollUp(own.map((check) => check.outcome))
    const through = own.some((check) => check.through === 'document') ? 'document' : 'supplement'
    const area = operations.find((operation) => operation.name === id.split('.')[1])?.area ?? `${name} interface`
    return {
      ...{ id, section, text, ground, area, checks: own.map((check) => check.id) },
      ...(outcome && { outcome, through }),
      ...(unchecked !== undefined && { unchecked }),
    } satisfies Report['requirements'][number]
  })
  return {
    schema: reportSchemaId,
    startedAt: '2026-01-02T03:04:05.678Z',
    durationMs: 83_000,
    status: 'complete',
    exitCode: checks.some(({ outcome }) => outcome === 'fail') ? 1 : 0,
    target: { kind: 'live', managementUrl: 'https://management.invalid/', loggingUrl: 'https://logging.invalid/' },
    contract: { management: '1.0.0', logging: '2' },
    summary: countChecks(checks),
    requirements,
    checks,
    observations: [
      { id: 'management.add-allowed-referrer.success', value: { status: 204 }, baseline: { status: 200 }, drift: true },
      { id: 'logging.query-logs.unknown-zone', value: 403, drift: false },
    ],
    wire: [
      {
        id: 'wire.add-allowed-referrer',
        ground: 'document',
        message: 'Field is no string.',
        check: checks[0]?.id ?? '',
      },
    ],
  }
}

/** A usual night: nearly all passes, a few things fail, one could not be decided, some were not run. */
export const usual = reportWith((index) => {
  if (index % 60 === 3) return 'fail'
  if (index === 5) return 'error'
  return index % 25 === 4 ? 'skip' : index % 40 === 6 ? 'disabled' : 'pass'
})

/** A night on which nearly everything fails. */
export const disastrous = reportWith((index) => (index % 10 === 0 ? 'error' : index % 10 === 1 ? 'pass' : 'fail'))

/** A night on which all is well. */
export const flawless = reportWith(() => 'pass')

/** What would set `window.ran` wherever it were taken for markup, style or an address. */
const attack = [
  '<script>window.ran = true</script>',
  '</script></style></title></textarea></pre><script>window.ran = true</script>',
  `"'><img src="https://evil.invalid/x.png" onerror="window.ran = true"><svg onload="window.ran = true">`,
  '<style>@import "https://evil.invalid/x.css"; * { display: none }</style><base href="https://evil.invalid/">',
  '<meta http-equiv="refresh" content="0; url=https://evil.invalid/"><form action="https://evil.invalid/"><button>',
  'javascript:window.ran=true',
  `-->]]>{{constructor.constructor('window.ran = true')()}}`,
  'endless'.repeat(20),
].join(' ')

/** Every string of a report that a target, a contract or a user can set is an attack. */
export const hostile: Report = {
  ...attacked(usual),
  ...{ schema: usual.schema, startedAt: usual.startedAt, status: 'complete', summary: usual.summary },
}

function attacked<T>(value: T): T {
  const kept = ['ground', 'through', 'effect', 'outcome', 'kind']
  if (typeof value === 'string') return `${attack} ${value}` as T
  if (Array.isArray(value)) return value.slice(0, 40).map(attacked) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, kept.includes(key) ? inner : attacked(inner)])
  return Object.fromEntries(entries)
}

/** Seven weeks of nights, oldest first, some of them bad. */
export const history: readonly RunSummary[] = Array.from({ length: 50 }, (_, night) => {
  const { durationMs, target, summary } = usual
  const failed = night % 9 === 5 ? 1 + (night % 4) : 0
  const errors = night % 13 === 7 ? 2 : 0
  return {
    startedAt: new Date(Date.UTC(2026, 0, 1 + night, 3)).toISOString(),
    ...{ durationMs, target, status: 'complete', exitCode: failed > 0 ? 1 : errors > 0 ? 2 : 0 },
    summary: { ...summary, failed, errors },
  }
})
