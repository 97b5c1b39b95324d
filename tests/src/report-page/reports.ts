/** Reports with all checks of the suite, for the tests of the page. */
import { operations } from '@cdn/api/contract'
import {
  type CheckResult,
  countChecks,
  createPlan,
  type Exchange,
  type Outcome,
  type Report,
  reportSchemaId,
  rollUp,
} from '@cdn/conformance'
import { defined } from '@cdn/kit/defined'

const plan = createPlan()

const exchange: Exchange = {
  request: {
    method: 'POST',
    url: 'https://management.invalid/pullzone/2001/addAllowedReferrer',
    headers: { AccessKey: '$CDN_ACCESS_KEY', 'Content-Type': 'application/json' },
    body: '{"Hostname":"a1.conformance.invalid"}',
  },
  response: { status: 500, headers: { 'content-type': 'application/json' }, body: `{"Message":"${'x'.repeat(600)}"}` },
  durationMs: 12,
}

/**
 * Creates a report of a run with the given outcome for each check. Checks that did not pass have evidence.
 *
 * @param outcomeOf the outcome of a check by its position in the plan
 */
function reportWith(outcomeOf: (index: number) => Outcome): Report {
  const checks = plan.checks.map(({ id, requirements, source, basis, effect }, index): CheckResult => {
    const outcome = outcomeOf(index)
    const facts = {
      id,
      requirements,
      source,
      basis,
      effect,
      outcome,
      durationMs: index * 3,
      requests: 1 + (index % 40),
    }
    if (outcome === 'pass') return facts
    if (outcome === 'skip' || outcome === 'disabled') return { ...facts, message: `Not run: ${outcome}.` }
    const evidence = {
      expected: 'status 204',
      seen: 'status 500',
      exchanges: [exchange],
      calls: [{ operation: 'query-logs', query: { status: '2xx' } }],
    }
    return { ...facts, message: `The response to ${id} is wrong.`, evidence }
  })
  const requirements = plan.requirements.map(({ id, section, text, source, interface: name, unchecked }) => {
    const results = checks.filter((check) => check.requirements.includes(id))
    const outcome = rollUp(results.map((check) => check.outcome))
    const basis = results.some((check) => check.basis === 'spec') ? 'spec' : 'supplement'
    const area = operations.find((operation) => operation.name === id.split('.')[1])?.area ?? `${name} interface`
    return {
      ...{ id, section, text, source, area, checks: results.map((check) => check.id), cases: results.length },
      ...(outcome && { outcome, basis }),
      ...(unchecked !== undefined && { unchecked }),
    } satisfies Report['requirements'][number]
  })
  return {
    schema: reportSchemaId,
    startedAt: '2026-01-02T03:04:05.678Z',
    durationMs: 83_000,
    status: 'complete',
    exitCode: checks.some(({ outcome }) => outcome === 'fail') ? 1 : 0,
    seed: 20260102,
    failOn: ['spec', 'supplement', 'robustness', 'drift'],
    constraints: [],
    target: { kind: 'live', managementUrl: 'https://management.invalid/', loggingUrl: 'https://logging.invalid/' },
    contract: { management: '1.0.0', logging: '2' },
    summary: countChecks(checks),
    requirements,
    checks,
    observations: [
      { id: 'management.add-allowed-referrer.success', value: { status: 204 }, baseline: { status: 200 }, drift: true },
      { id: 'logging.query-logs.unknown-zone', value: 403, drift: false },
    ],
    breaches: [
      {
        id: 'exchange.add-allowed-referrer',
        source: 'spec',
        requirements: [],
        message: 'Field is not a string.',
        check: defined(checks[0]).id,
      },
    ],
  }
}

/** A typical night: nearly all checks pass, a few fail, one is undecided, some did not run. */
export const usual = reportWith((index) => {
  if (index % 60 === 3) return 'fail'
  if (index === 5) return 'error'
  return index % 25 === 4 ? 'skip' : index % 40 === 6 ? 'disabled' : 'pass'
})

/** A night with failures of nearly all checks. */
export const disastrous = reportWith((index) => (index % 10 === 0 ? 'error' : index % 10 === 1 ? 'pass' : 'fail'))

/** A night without failures. */
export const flawless = reportWith(() => 'pass')

/** Texts that set `window.ran` if a browser interprets them as markup, style or an address. */
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

/** A report in which every string that a target, a contract or a user can set is an attack. */
export const hostile: Report = {
  ...attacked(usual),
  ...{ schema: usual.schema, startedAt: usual.startedAt, status: 'complete', summary: usual.summary },
}

function attacked<T>(value: T): T {
  const unchanged = ['source', 'basis', 'effect', 'outcome', 'kind', 'failOn']
  if (typeof value === 'string') return `${attack} ${value}` as T // a text stays a text
  if (Array.isArray(value)) return value.slice(0, 40).map(attacked) as T // and a list stays a list
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, unchanged.includes(key) ? inner : attacked(inner)])
  return Object.fromEntries(entries)
}
