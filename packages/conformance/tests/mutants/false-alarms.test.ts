import { expect, test } from 'vitest'
import { findFalseAlarms, mixedServer } from './false-alarms.ts'

/** Checks that send requests over many rate limit windows. They take long, so only the campaign runs them. */
const isLong = ({ id }: { id: string }) => /\/(sustained|window)$/.test(id)

// `cli.test.ts` tests the server without variants.
test('no check accuses a server with a mixture of permitted variants', { timeout: 300_000 }, async () => {
  const { alarms, results } = await findFalseAlarms([mixedServer(1)], [1], isLong)
  expect(alarms).toEqual([])
  expect(results).toBeGreaterThan(200)
})
