import { expect, test } from 'vitest'
import { check, exchange } from '../../tests/support/samples.ts'
import type { CheckResult } from '../report/model.ts'
import { causesOf } from './causes.ts'

const watermark = 'management.delete-watermark'

function failed(id: string, expected: string, seen: string, operation = watermark): CheckResult {
  const status = Number(/status (\d+)/.exec(seen)?.[1] ?? 200)
  const shown = { ...exchange, operation, response: { status, headers: {}, body: '{}' } }
  const evidence = { expected, seen, exchanges: [shown] }
  const requirements = [id.replace(/\/.*/, '')]
  return { ...check, id, requirements, outcome: 'fail', message: `expected ${expected}, saw ${seen}`, evidence }
}

const causes = (...results: readonly CheckResult[]) =>
  causesOf(results.map((result) => ({ result, called: [watermark, 'management.get-pull-zone', 'logging.query-logs'] })))
const summary = (...results: readonly CheckResult[]) =>
  causes(...results).map(({ id, requirements, masked }) => [id, requirements, masked])

const answered500 = 'status 500 with "{}"'
const control = failed(`${watermark}.204`, 'status 204', answered500)

test('an operation that always answers 500 is one cause, which breaks its success and the refusal of a wrong credential', () => {
  const others = ['access-key', 'scope-user/access-key', 'effect'].map((end) =>
    failed(`${watermark}.${end}`, 'a success (2xx)', answered500),
  )
  const missing = failed('management.authentication.missing/delete-watermark', 'status 401', answered500)
  const skipped = { ...check, id: `${watermark}.404`, outcome: 'skip', message: 'inconclusive' } as const
  const [cause, ...more] = causes(...others, missing, control, skipped)
  expect(more).toEqual([])
  expect(cause).toMatchObject({
    ...{ id: `${watermark}.204`, operation: watermark, seen: 'status 500', expected: 'status 204', source: 'spec' },
    requirements: [`${watermark}.204`, 'management.authentication.missing'],
    checks: [control.id, missing.id],
    masked: [...others.map(({ id }) => id), skipped.id],
  })
})

test('a check that saw something else than the control is a cause of its own', () => {
  const other = failed(`${watermark}.404`, 'status 404', 'status 204 with an empty body')
  expect(summary(control, other).map(([id]) => id)).toEqual([control.id, other.id])
})

test('without a failed control nothing is masked', () => {
  const effect = failed(`${watermark}.scope-user`, 'a success (2xx)', 'status 401 with "{}"')
  expect(summary(effect)).toEqual([[effect.id, [effect.id], []]])
})

test('a scheme that is refused masks its scopes, and the success of a request with it', () => {
  const scheme = failed(`${watermark}.access-key`, 'a success (2xx)', 'status 401 with "{}"')
  const success = failed(`${watermark}.204`, 'status 204', 'status 401 with "{}"')
  const scope = failed(`${watermark}.scope-user/access-key`, 'a success (2xx)', 'status 401 with "{}"')
  expect(summary(success, scope, scheme)).toEqual([[scheme.id, [scheme.id], [success.id, scope.id]]])
})

test('a sentence about the body of an error needs the error', () => {
  const status = failed('logging.query-logs.404', 'status 404', 'status 400 with "{}"', 'logging.query-logs')
  const code = failed(
    'logging.errors.logging-disabled/query-logs/404',
    'status 404',
    'status 400 with "{}"',
    'logging.query-logs',
  )
  expect(summary(code, status)).toEqual([[status.id, [status.id], [code.id]]])
})

test('a value that is not listed masks the filters and comparisons that name its field', () => {
  const value = failed('logging.cache-status.values/query-logs', 'one of HIT, MISS', '"EXPIRED"', 'logging.query-logs')
  const compared = failed(
    'logging.agreement.v1-v2',
    '2 entries',
    '2 missing, 2 too many: cacheStatus is HIT instead of EXPIRED',
  )
  const other = failed('logging.query-logs.order', 'times in order', 'another order', 'logging.query-logs')
  expect(summary(value, compared, other)).toEqual([
    [value.id, ['logging.cache-status.values'], [compared.id]],
    [other.id, [other.id], []],
  ])
})

test('checks of one requirement are one cause, and so is one requirement of a whole interface that fails in the same way', () => {
  const one = failed('management.errors.field/get-pull-zone', 'Field a string', 'Field 7', 'management.get-pull-zone')
  const other = failed('management.errors.field/delete-watermark', 'Field a string', 'Field 8')
  expect(causes(one, other)).toMatchObject([
    { id: 'management.errors.field', operation: 'management.*', seen: 'Field 7' },
  ])
  const again = failed(`${watermark}.effect/again`, 'no watermark', 'a watermark')
  const lasting = failed(`${watermark}.effect/lasting`, 'none', 'one after a while')
  expect(summary(again, lasting)).toHaveLength(1)
})

test('what every operation of an interface shows is one cause', () => {
  const results = [watermark, 'management.get-pull-zone'].map((operation) =>
    failed(`${operation}.200`, 'status 200', 'status 503 with an empty body', operation),
  )
  expect(causes(...results)).toMatchObject([{ operation: 'management.*', seen: 'status 503' }])
})

test('errors are causes that break nothing, and come last', () => {
  const message = 'target unavailable: read ECONNRESET'
  const lost = { ...exchange, response: undefined, operation: 'logging.query-logs' } as never
  const error = {
    ...check,
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
