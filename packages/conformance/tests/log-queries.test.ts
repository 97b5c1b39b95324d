/** Tests that a failing query is stored as its smallest case, and that a replay sends only this case. */
import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { parameterValues } from '../src/cases/logs/query-cases.ts'
import { createPlan } from '../src/run/plan.ts'
import { runCheck } from '../src/run/run-check.ts'
import { sessionOn } from '../src/run/targets/emulator.ts'
import { serverMutants } from './mutants/all-mutants.ts'

const checks = createPlan().checks.filter(({ id }) => /^logging\.(query-logs|read-log-file|agreement)\./.test(id))
const { signal } = new AbortController()

test.each([
  ['v2: status is ignored with a token', 'query-logs.bearer/cases', /for status=[^,]+, bearer token, saw/],
  ['pages: they overlap from the third page on', 'query-logs.pagination', /for (limit=\d+, )?offset=\d+, saw/],
  ['v2: the other pull zone ignores cacheStatus', 'query-logs.cache-status-filter', /"pullZoneId":"2003"/],
  ['v1: a status ends the search', 'read-log-file.filters-combine', /for (status=.*, search=|search=.*, status=)/],
  ['v1: without sort, it starts one line late', 'read-log-file.slice', /for start=\d+, saw/],
])('%s: the smallest case breaks %s', async (id, requirement, needs) => {
  const check = assertDefined(checks.find((each) => each.id === `logging.${requirement}`))
  const faulty = async () => {
    const emulator = await createEmulator()
    assertDefined(serverMutants.find((each) => each.id === id)).apply(emulator)
    return sessionOn(emulator)
  }
  const { result } = await runCheck(check, await faulty(), { signal })
  expect(result).toMatchObject({ outcome: 'fail', evidence: { calls: [{ operation: expect.any(String) }] } })
  expect(`${result.message} ${JSON.stringify(result.evidence?.calls)}`).toMatch(needs)
  const replay = { signal, stored: result.evidence?.calls, replay: true }
  const repeated = await runCheck(check, await faulty(), replay)
  expect(repeated.result).toMatchObject({ outcome: 'fail', evidence: { calls: result.evidence?.calls } })
  const right = await runCheck(check, sessionOn(await createEmulator()), replay)
  expect(right.result).toMatchObject({ outcome: 'pass', cases: 1 })
})

test('each class of the statuses that occur is sent, not only those of rare statuses', () => {
  const items = [200, 200, 200, 304, 304, 404, 500, 503].map((statusCode, time) => {
    return { time, row: { statusCode }, line: '', key: `${time}` }
  })
  const reference = { operation: 'query-logs', zone: '1', from: 0, to: 9, items, shield: [], isWhole: true } as const
  expect(parameterValues(reference)['status']).toEqual(expect.arrayContaining(['2xx', '3xx', '4xx', '5xx']))
})
