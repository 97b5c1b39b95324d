/** Sample reports that contain every requirement, and a memory of sixty runs, for the tests and screenshots of the report pages. */
import { assembleReport, type CheckRun, createPlan, type RememberedRun, type Report, resultOf } from '@cdn/conformance'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expectedOf, reportFilledWith, seenOf } from '../../../packages/conformance/tests/support/samples.ts'

const plan = createPlan()
type Result = CheckRun['result']

type Failures = Readonly<
  Record<string, { readonly expected: string; readonly seen: string; readonly operation: string }>
>

const requests: Readonly<Record<string, { readonly method: string; readonly url: string }>> = {
  'management.delete-watermark': { method: 'DELETE', url: 'https://api.example/videolibrary/1001/watermark' },
  'logging.query-logs': {
    method: 'GET',
    url: 'https://logs.example/v2/pullzones/2002/logs?from=2026-11-24T02:00:00.000Z&limit=100',
  },
}
const bodies: Readonly<Record<string, string>> = {
  'management.delete-watermark': '{"ErrorKey":"server.failed","Field":"","Message":"The server failed."}',
  'logging.query-logs': '{"data":[{"timestamp":"2026-11-24T02:00:03.120Z","pullZoneId":2002,"cacheStatus":"EXPIRED"}]}',
}

function reportWith(failures: Failures, facts: Partial<Parameters<typeof assembleReport>[0]> = {}): Report {
  const runs = plan.checks.map(({ id, requirements, source, basis, effect, part }): CheckRun => {
    const common = {
      id,
      requirements,
      source,
      basis,
      effect,
      ...(part !== undefined && { part }),
      durationMs: 120,
      requests: 4,
    }
    const none = { observations: [], breaches: [], operations: [] }
    const failure = failures[id]
    if (!failure) return { ...none, result: { ...common, outcome: 'pass' } }
    const { expected, seen, operation } = failure
    const status = Number(/status (\d+)/.exec(seen)?.[1] ?? 200)
    const headers = { 'content-type': 'application/json', 'x-request-id': '8f3c51d0' }
    const exchange = {
      request: {
        ...(requests[operation] ?? assertDefined(requests['logging.query-logs'])),
        headers: { AccessKey: '$CDN_ACCESS_KEY' },
      },
      response: { status, headers, body: bodies[operation] ?? '{}' },
      ...{ operation, at: '2026-11-25T02:18:04.000Z', durationMs: 143 },
    }
    const result: Result = {
      ...common,
      outcome: 'fail',
      message: seen,
      evidence: { expected: expectedOf(expected), seen: seenOf(seen), exchanges: [exchange] },
    }
    return { ...none, result }
  })
  return assembleReport({
    ...{ plan, runs, startedAt: '2026-11-25T02:17:00.000Z', durationMs: 271_000, status: 'complete', seed: 20261125 },
    target: { kind: 'live', managementUrl: 'https://api.example/', loggingUrl: 'https://logs.example/' },
    ...facts,
  })
}

const watermark = 'management.delete-watermark'
const unlisted = 'a field of a row has a value that the spec does not list'
const answered = { expected: 'a success (2xx)', seen: 'status 500 with "{}"', operation: watermark }

/** A run with two causes: an operation that always fails, and a value that is not listed. */
const twoCauses = reportWith({
  [`${watermark}.204`]: { ...answered, expected: 'status 204' },
  [`${watermark}.access-key`]: answered,
  [`${watermark}.bearer`]: answered,
  [`${watermark}.scope-user`]: answered,
  [`${watermark}.effect`]: answered,
  'management.authentication.missing/delete-watermark': { ...answered, expected: 'status 401' },
  'logging.cache-status.values/query-logs': {
    ...{ expected: 'one of HIT, MISS, BYPASS, REVALIDATED, STALE, UPDATING, -', seen: unlisted },
    operation: 'logging.query-logs',
  },
})

export const usual: Report = {
  ...twoCauses,
  causes: twoCauses.causes.map((cause, index) =>
    index === 0 ? { ...cause, since: '2026-11-23T02:17:00.000Z' } : cause,
  ),
}

/** A run in which thirty checks fail, each with a cause of its own. */
export const disastrous = reportWith(
  Object.fromEntries(
    plan.checks
      .filter(
        ({ id }, index, all) =>
          all.findIndex((other) => other.requirements[0] === plan.checks[index]?.requirements[0]) === index &&
          !/\.(2xx|2\d\d|body|effect|values)/.test(id),
      )
      .slice(0, 30)
      .map(({ id }, index) => [
        id,
        {
          expected: 'what the sentence states',
          seen: `status ${410 + index} with "{}"`,
          operation: `management.operation-${index}`,
        },
      ]),
  ),
)

/** A run without a result, because the target cannot be reached. */
export const outage = reportWith(
  {},
  {
    ...{ runs: [], status: 'not-started', durationMs: 2_000 },
    problems: ['The management interface cannot be reached at https://api.example/: ECONNREFUSED.'],
  },
)

/** A run without failures. */
export const flawless = reportWith({})

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
export const hostile: Report = reportFilledWith(attack)

const holds = usual.requirements.flatMap(({ id, outcome }) => (outcome === 'pass' || outcome === 'fail' ? [id] : []))
const causes = [
  {
    id: `${watermark}.204`,
    operation: watermark,
    seen: 'a request is answered 500 instead of 204',
    requirements: [`${watermark}.204`],
    nights: [57, 58, 59],
  },
  {
    id: 'logging.cache-status.values/query-logs',
    operation: 'logging.query-logs',
    seen: unlisted,
    requirements: ['logging.cache-status.values'],
    nights: [59],
  },
  {
    id: 'logging.query-logs.order',
    operation: 'logging.query-logs',
    seen: 'two rows are not in the requested order of time',
    requirements: ['logging.query-logs.order'],
    nights: [50, 53],
  },
  {
    id: 'management.get-pull-zone.404',
    operation: 'management.get-pull-zone',
    seen: 'a request is answered 500 instead of 404',
    requirements: ['management.get-pull-zone.404'],
    nights: [20, 21, 22, 23],
  },
  {
    id: 'logging.rate-limit.429/read-log-file',
    operation: 'logging.read-log-file',
    seen: 'a request beyond 30 in a window after a 429 is answered 200 instead of 429',
    requirements: ['logging.rate-limit.429'],
    nights: [5],
  },
]

/** Sixty runs: two causes that last until the end, one that comes and goes, two that ended, and one outage. */
export const sixtyRuns: readonly RememberedRun[] = Array.from({ length: 60 }, (_, night): RememberedRun => {
  const at = new Date(Date.UTC(2026, 8, 27 + night, 2, 17)).toISOString()
  const shown = causes.flatMap(({ nights, ...cause }) => (nights.includes(night) ? [{ ...cause, since: at }] : []))
  const broken = shown.flatMap(({ requirements }) => requirements)
  const isOut = night === 34
  const sentence = isOut
    ? resultOf(outage).sentence
    : shown.length > 0
      ? `The live platform does not conform: ${shown.length} causes.`
      : resultOf(flawless).sentence
  return {
    ...{
      at,
      target: 'live https://api.example/ https://logs.example/',
      durationMs: 240_000,
      sentence,
      requests: 3_683,
    },
    ...{ status: isOut ? 'not-started' : 'complete', exitCode: isOut ? 2 : Number(shown.length > 0) },
    link: `runs/${at.replaceAll(':', '-')}.html`,
    causes: isOut ? [] : shown,
    holds: isOut ? [] : holds.filter((id) => !broken.includes(id)),
  }
})
