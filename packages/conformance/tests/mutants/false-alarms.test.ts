import { expect, test } from 'vitest'
import { findFalseAlarms, mixedServer } from './false-alarms.ts'

// `cli.test.ts` tests the server without variants.
test('no check accuses a server with a mixture of permitted variants, or of variants that the supplement does not state', {
  timeout: 300_000,
}, async () => {
  const { alarms, results } = await findFalseAlarms([mixedServer(1), mixedServer(4, false)], [1])
  expect(alarms).toEqual([])
  expect(results).toBeGreaterThan(200)
})

test('a platform that rounds times, with a row at midnight, is not accused of rows that another range or file shows', async () => {
  const isOfEnds = ({ id }: { id: string }) => /read-log-file\.slice$|query-logs\.notations$/.test(id)
  const { alarms, results } = await findFalseAlarms([mixedServer(3, false)], [7], (check) => !isOfEnds(check))
  expect({ alarms, results }).toEqual({ alarms: [], results: 2 })
})
