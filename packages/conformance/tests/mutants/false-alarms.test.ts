import { expect, test } from 'vitest'
import { conformantServers, findFalseAlarms, mixedServer } from './false-alarms.ts'

/** Checks that send requests over many windows. Only the script runs them, because their requests do not depend on the seed. */
const isLong = ({ id }: { id: string }) => /\/(sustained|window)$/.test(id)

test('no check accuses the conformant server, whatever the seed', { timeout: 300_000 }, async () => {
  const { alarms, permitted, results } = await findFalseAlarms(conformantServers().slice(0, 1), [1], isLong)
  expect(alarms).toEqual([])
  expect(permitted).toEqual([])
  expect(results).toBeGreaterThan(200)
})

test('no check accuses a server with a mixture of permitted variants', { timeout: 300_000 }, async () => {
  for (const seed of [1, 2]) expect((await findFalseAlarms([mixedServer(seed)], [seed], isLong)).alarms).toEqual([])
})

test('every value of every permitted variant gives a conformant server', () => {
  const names = conformantServers().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(['default', 'rateWindow=bucket', 'errorBodies=absent']))
})
