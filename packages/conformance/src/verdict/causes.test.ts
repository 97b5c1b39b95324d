import { expect, test } from 'vitest'
import { expectedOf, sampleCheck, sampleExchange, seenOf } from '../../tests/support/samples.ts'
import type { Seen } from '../exchange/failure.ts'
import type { CheckResult } from '../exchange/report-model.ts'
import { rules } from '../rules/rules.ts'
import { createPlan } from '../run/plan.ts'
import { causesOf } from './causes.ts'
import { rankedSentences } from './precedence.ts'

const watermark = 'management.delete-watermark'

function failed(id: string, expected: string, seen: string, operation = watermark): CheckResult {
  const status = Number(/status (\d+)/.exec(seen)?.[1] ?? 200)
  const shown = { ...sampleExchange, operation, response: { status, headers: {}, body: '{}' } }
  const evidence = { expected: expectedOf(expected), seen: seenOf(seen), exchanges: [shown] }
  const requirements = [id.replace(/\/.*/, '')]
  return { ...sampleCheck, id, requirements, outcome: 'fail', message: `expected ${expected}, saw ${seen}`, evidence }
}

const literals = new Map(createPlan().checks.map(({ id, decides }) => [id, decides]))
const called = [watermark, 'management.get-pull-zone', 'logging.query-logs']
const causes = (...results: readonly CheckResult[]) =>
  causesOf(results.map((result) => ({ result, called, decides: literals.get(result.id) })))
const summary = (...results: readonly CheckResult[]) =>
  causes(...results).map(({ id, requirements, masked }) => [id, requirements, masked])

const answered500 = 'status 500 with "{}"'
const control = failed(`${watermark}.204`, 'status 204', answered500)

test('an operation that always answers 500 is one cause, which breaks its success and the refusal of a wrong credential', () => {
  const others = ['bearer', 'scope-user/access-key', 'effect'].map((end) =>
    failed(`${watermark}.${end}`, 'a success (2xx)', answered500),
  )
  const missing = failed('management.authentication.missing/delete-watermark', 'status 401', answered500)
  const skipped = { ...sampleCheck, id: `${watermark}.404`, outcome: 'skip', message: 'inconclusive' } as const
  const [cause, ...more] = causes(...others, missing, control, skipped)
  expect(more).toEqual([])
  expect(cause).toMatchObject({
    ...{
      id: `${watermark}.204`,
      operation: watermark,
      seen: seenOf('status 500'),
      expected: expectedOf('status 204'),
      source: 'spec',
    },
    requirements: [`${watermark}.204`, 'management.authentication.missing'],
    checks: [control.id, missing.id],
    masked: expect.arrayContaining([...others.map(({ id }) => id), skipped.id]),
  })
})

const refused = 'status 401 with "{}"'
const [logs, files] = ['logging.query-logs', 'logging.read-log-file']
const scheme = failed(`${watermark}.bearer`, 'a success (2xx)', refused)
const value = failed('logging.cache-status.values/query-logs', 'one of HIT, MISS', '"EXPIRED"', logs)
const order = failed(`${logs}.order`, 'times in order desc', 'another order', logs)
const filter = failed(`${logs}.cache-status-filter`, '2 entries for cacheStatus=HIT', '2 missing, 0 too many', logs)
const days = failed('logging.agreement.v1-v2/read-log-file/days', 'the entries of both versions', '3 missing', files)
const zone = failed(
  `${logs}.zone`,
  'entries of the pull zone in the path only',
  'an entry is of another pull zone',
  logs,
)
const from = failed(`${logs}.from-inclusive`, '1 entry', '1 missing, 1 too many', logs)
const accepted = 'status 200 with "{}"'
const echo = failed(`${logs}.echo`, 'the effective query 0', '100', logs)

test.each<[string, readonly CheckResult[], readonly (readonly [CheckResult, ...CheckResult[]])[]]>([
  [
    'what a control does not show is a cause of its own',
    [control, failed(`${watermark}.404`, 'status 404', 'status 204 with an empty body')],
    [[control], [failed(`${watermark}.404`, '', '')]],
  ],
  [
    'without a failed control nothing is masked',
    [failed(`${watermark}.scope-user`, '', refused)],
    [[failed(`${watermark}.scope-user`, '', '')]],
  ],
  [
    'a refused scheme masks its scopes, the success of a request with it, and a wrong credential that is refused in the same way',
    [
      failed(`${watermark}.204`, 'status 204', refused),
      failed(`${watermark}.scope-user/access-key`, 'a success (2xx)', refused),
      failed(`${watermark}.401/wrong-key`, 'status 403', refused),
      scheme,
    ],
    [
      [
        scheme,
        failed(`${watermark}.204`, '', ''),
        failed(`${watermark}.scope-user/access-key`, '', ''),
        failed(`${watermark}.401/wrong-key`, '', ''),
      ],
    ],
  ],
  [
    'a value that is not listed masks the filters that name its field, and comparisons',
    [filter, days, value],
    [[value, filter, days]],
  ],
  ['what every response shows masks filters and comparisons', [filter, days, order], [[order, filter, days]]],
  ['a row of another pull zone is also one too many in a range', [from, zone], [[zone, from]]],
  ['a filter masks no comparison of two operations', [days, filter], [[filter], [days]]],
  [
    'an accepted request that should be refused masks a wrong echo in its response',
    [echo, failed(`${logs}.400`, 'status 400', accepted, logs)],
    [[failed(`${logs}.400`, '', '', logs), echo]],
  ],
  [
    'a success that cannot be read masks all contents, but no wrong credential that is accepted',
    [
      failed(`${logs}.2xx`, 'a success (2xx)', 'status 500 with "{}"', logs),
      filter,
      failed('logging.authentication.missing/query-logs', 'status 401', accepted, logs),
    ],
    [
      [failed(`${logs}.2xx`, '', '', logs), filter],
      [failed('logging.authentication.missing/query-logs', '', '', logs)],
    ],
  ],
])('%s', (_name, results, expected) => {
  const shown = causes(...results).map(({ checks, masked }) => [...checks, ...masked])
  const sorted = (lists: readonly (readonly string[])[]) => lists.map((list) => list.toSorted()).toSorted()
  expect(sorted(shown)).toEqual(sorted(expected.map((some) => some.map(({ id }) => id))))
  expect(causes(...results)).toHaveLength(expected.length)
})

test('each sentence with a level is decided by a check, or by a rule for other areas', () => {
  const decided = new Set([...literals.values(), ...rules.flatMap((rule) => rule.decides)])
  expect(rankedSentences.filter((decides) => !decided.has(decides))).toEqual([])
})

test('checks of one requirement are one cause, and so is one requirement of a whole interface that fails in the same way', () => {
  const one = failed(
    'management.errors.field/get-pull-zone',
    'Field a string',
    'a field is no string',
    'management.get-pull-zone',
  )
  const other = failed('management.errors.field/delete-watermark', 'Field a string', 'a field is no string')
  expect(causes(one, other)).toMatchObject([
    { id: 'management.errors.field', operation: 'management.*', seen: seenOf('a field is no string') },
  ])
  const again = failed(`${watermark}.effect`, 'no watermark', 'a watermark')
  const lasting = failed(`${watermark}.effect/again`, 'none', 'one after a while')
  expect(summary(again, lasting)).toHaveLength(1)
})

test('a status that every operation of an interface shows is one cause', () => {
  const results = [watermark, 'management.get-pull-zone'].map((operation) =>
    failed(`${operation}.200`, 'status 200', 'status 503 with an empty body', operation),
  )
  expect(causes(...results)).toMatchObject([
    { operation: 'management.*', seen: seenOf('status 503 with an empty body') },
  ])
})

test('errors are causes that break nothing, and come last', () => {
  const message = 'target unavailable: read ECONNRESET'
  const lost = { ...sampleExchange, response: undefined, operation: 'logging.query-logs' } as never
  const error = {
    ...sampleCheck,
    id: 'logging.query-logs.order',
    outcome: 'error',
    message,
    evidence: { exchanges: [lost] },
  } as const
  const { id, outcome, requirements } = causes(error, control)[1] ?? {}
  expect([id, outcome, requirements]).toEqual(['logging.query-logs.unavailable', 'error', []])
})

test('the order of the checks does not matter', () => {
  const results = [
    control,
    failed(`${watermark}.effect`, 'a success (2xx)', answered500),
    failed(`${watermark}.bearer`, 'a success (2xx)', answered500),
  ]
  expect(summary(...results.toReversed()).map(([id, requirements]) => [id, requirements])).toEqual(
    summary(...results).map(([id, requirements]) => [id, requirements]),
  )
})

const ofTarget = ['status 404', 'target unavailable', 'no response', '/a b', 'not as before', '{}']

test.each(ofTarget)('a text that the target writes changes no cause: %j', (text) => {
  const withText = (seen: CheckResult) => {
    const { evidence = { exchanges: [] } } = seen
    const at = [{ path: 'data[0].cacheStatus', text }]
    return { ...seen, evidence: { ...evidence, seen: { ...seenOf('a row is wrong'), text, at } as Seen } }
  }
  const plain = [filter, order, value, echo].map((result) => ({
    ...result,
    evidence: { exchanges: [], ...result.evidence, seen: seenOf('a row is wrong') },
  }))
  const structure = (all: readonly CheckResult[]) => causes(...all).map(({ seen: _, ...cause }) => cause)
  for (const index of plain.keys())
    expect(structure(plain.map((result, at) => (at === index ? withText(result) : result)))).toEqual(structure(plain))
})
