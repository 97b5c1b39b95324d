import { expect, test } from 'vitest'
import { findFalseAlarms, mixedServer, rightServers } from './false-alarms.ts'

/** Callers that go on for many windows are left to the script: what they do depends on no seed. */
const isLong = ({ id }: { id: string }) => /\/(sustained|window)$/.test(id)

test('the right server is never accused, whatever the seed', { timeout: 120_000 }, async () => {
  const { alarms, permitted, results } = await findFalseAlarms(rightServers().slice(0, 1), [1, 2], isLong)
  expect(alarms).toEqual([])
  expect(permitted).toEqual([])
  expect(results).toBeGreaterThan(400)
})

test('nor is one that does other permitted things, many at once', { timeout: 120_000 }, async () => {
  for (const seed of [1, 2, 3]) expect((await findFalseAlarms([mixedServer(seed)], [seed], isLong)).alarms).toEqual([])
})

test('every value of every permitted variant is a right server', () => {
  const names = rightServers().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(['default', 'rateWindow=bucket', 'errorBodies=absent']))
})
