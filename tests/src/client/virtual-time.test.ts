/** Each fault of the emulator, with each way to call the platform: no pause and no time-out takes real time. */
import { setImmediate } from 'node:timers/promises'
import { createLoggingClient, createManagementClient, paginate, readLogFile, readLogs } from '@cdn/api'
import { createEmulator, type Emulator, type FaultName, faultTable } from '@cdn/emulator'
import { hourMs } from '@cdn/kit/time'
import { expect, onTestFinished, test, vi } from 'vitest'

async function all(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const ways = {
  GET: ({ fixtures, clientOptions }) =>
    createManagementClient(clientOptions('management')).GET('/pullzone/{id}', {
      params: { path: { id: fixtures.ids.zoneId } },
    }),
  POST: ({ fixtures, clientOptions }) =>
    createManagementClient(clientOptions('management')).POST('/pullzone/{id}/addAllowedReferrer', {
      params: { path: { id: fixtures.ids.zoneId } },
      body: { Hostname: 'a.example' },
    }),
  readLogs: ({ fixtures, clientOptions, clock }) => {
    const to = clock.now().getTime()
    const range = { pullZoneId: fixtures.ids.loggedZoneId, from: to - hourMs, to }
    return all(readLogs(createLoggingClient(clientOptions('logging')), range))
  },
  readLogFile: ({ fixtures, clientOptions, clock }) => {
    const file = { pullZoneId: fixtures.ids.loggedZoneId, date: clock.now() }
    return all(readLogFile(createLoggingClient(clientOptions('logging')), file))
  },
  paginate: ({ clientOptions }) => all(paginate(createManagementClient(clientOptions('management')), '/pullzone')),
} satisfies Record<string, (emulator: Emulator) => Promise<unknown>>

test.each(Object.keys(faultTable) as FaultName[])('the fault %s takes no real time', async (name) => {
  const real = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => real.mockRestore())
  for (const way of Object.values(ways)) {
    const emulator = await createEmulator()
    emulator.faults.add(name)
    // The call may fail. It only must not wait.
    await way(emulator).catch((error: unknown) => expect(error).toBeInstanceOf(Error))
    await setImmediate()
  }
  expect(real.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms > 100)).toEqual([])
})

test('a time-out of the client fires in virtual time', async () => {
  const { fixtures, clientOptions, clock, faults, journal } = await createEmulator()
  const [start, params] = [clock.now().getTime(), { path: { id: fixtures.ids.zoneId } }]
  faults.add({ name: 'time-out', times: 2 })
  const client = createManagementClient({ ...clientOptions('management'), timeout: 5000 })
  expect((await client.GET('/pullzone/{id}', { params })).response.status).toBe(200)
  expect(journal.entries).toHaveLength(3)
  expect(clock.now().getTime() - start).toBeGreaterThanOrEqual(10_000)
  faults.add('time-out')
  const error = await client.GET('/pullzone/{id}', { params, retry: false }).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('took longer than 5000 ms') })
})

test('the readers obey the retries of the client', async () => {
  const { fixtures, clientOptions, clock, faults, journal } = await createEmulator()
  faults.add('internal-error')
  const to = clock.now().getTime()
  const range = { pullZoneId: fixtures.ids.loggedZoneId, from: to - 24 * hourMs, to }
  const options = clientOptions('logging')
  const requests = async (
    read: (client: ReturnType<typeof createLoggingClient>) => AsyncIterable<unknown>,
    retry: object,
  ) => {
    const before = journal.entries.length
    await all(read(createLoggingClient({ ...options, ...retry }))).catch(() => {})
    return journal.entries.length - before
  }
  expect(await requests((client) => readLogs(client, range), { retry: false })).toBe(1)
  // 18 ranges, from a day to half a second, twice each; a millisecond five times; its first four rows twice each.
  expect(await requests((client) => readLogs(client, range), {})).toBe(49)
  faults.clear()
  faults.add('time-out')
  // The day, a second and a millisecond twice each; the first two rows of the millisecond twice each.
  expect(await requests((client) => readLogs(client, range), {})).toBe(10)
  faults.clear()
  faults.add('internal-error')
  const file = { pullZoneId: fixtures.ids.loggedZoneId, date: clock.now() }
  expect(await requests((client) => readLogFile(client, file), { retry: false })).toBe(1)
  expect(await requests((client) => readLogFile(client, file), { retry: { attempts: 3 } })).toBe(3)
  expect(await requests((client) => readLogFile(client, { ...file, retry: { attempts: 2 } }), {})).toBe(2)
})
