import { createLoggingClient, createManagementClient, readLogs, unwrap } from '@cdn/api'
import { expect, test } from 'vitest'
import { createEmulator } from './emulator.ts'
import { createZone } from './platform/state/zones.ts'

test('the options for a client: the default emulator and readLogs work together, without a violation', async () => {
  const { clientOptions, clock, fixtures, journal, state } = await createEmulator({
    traffic: { zones: 1, rowsPerSecond: 5, lateShare: 0.1 },
  })
  const client = createLoggingClient(clientOptions('logging'))
  const to = clock.now().getTime() - 120_000
  const from = to - 1_200_000
  let rows = 0
  // A page holds ten seconds of rows, so the read needs far more requests than the rate limit permits at once.
  for await (const _ of readLogs(client, { pullZoneId: 10_001, from, to, pageSize: 50 })) rows++
  expect(rows).toBe(state.logs.rows('10001', from, to).filter(({ originShield }) => !originShield).length)
  expect(journal.entries.length).toBeGreaterThan(100)
  expect(journal.violations).toEqual([])
  expect(journal.entries.filter(({ status }) => status !== 200)).toEqual([])

  const management = createManagementClient(clientOptions('management'))
  const params = { path: { id: fixtures.ids.zoneId } }
  expect((await unwrap(management.GET('/pullzone/{id}', { params }))).Id).toBe(2001)
})

test('retries of a client move a virtual clock instead of waiting', async () => {
  const { clientOptions, clock, faults } = await createEmulator()
  faults.add({ name: 'rate-limited', retryAfter: 30, times: 2 })
  const start = clock.now().getTime()
  const { response } = await createManagementClient(clientOptions('management')).GET('/pullzone')
  expect([response.status, clock.now().getTime() - start]).toEqual([200, 60_000])
})

test('an empty list that may be null has the form of the variant, for initial and for changed items', async () => {
  const { fetch, fixtures, managementUrl, setVariants, state } = await createEmulator()
  state.resources.change('/pullzone', fixtures.zoneId, { AllowedReferrers: null })
  const headers = { AccessKey: fixtures.credentials.accessKey }
  const shown = async () => {
    const zone = await (await fetch(new URL(`pullzone/${fixtures.zoneId}`, managementUrl), { headers })).json()
    return Object.entries(Object(zone)).filter(([, value]) => value === null || Array.isArray(value))
  }
  expect((await shown()).find(([name]) => name === 'AllowedReferrers')).toEqual(['AllowedReferrers', []])
  setVariants({ emptyReferrers: 'null' })
  expect((await shown()).find(([name]) => name === 'AllowedReferrers')).toEqual(['AllowedReferrers', null])
})

test('zones.set replaces the zone with the same id', async () => {
  const { state } = await createEmulator()
  const ids = state.zones.keys()
  for (const id of ['2001', '7']) {
    state.zones.set(id, createZone('2002', { logging: 'enabled', name: 'shop' }))
    expect(state.zones.get(id)).toMatchObject({ id, logging: 'enabled', name: 'shop' })
  }
  expect(state.zones.keys().sort()).toEqual([...ids, '7'].sort())
})

test.each([[null], [5], [[]], [{ addSuccess: 299 }], [{ unknown: 1 }]])(
  'setVariants refuses %j, and changes nothing',
  async (chosen) => {
    const { setVariants, variants } = await createEmulator()
    const before = { ...variants }
    expect(() => setVariants(chosen as object)).toThrow(RangeError)
    expect(variants).toEqual(before)
  },
)

test('an undefined value of a variant, a fault or the traffic counts as omitted', async () => {
  const undecided = { addSuccess: undefined } as object
  const { setVariants, variants, faults, state, fetch, managementUrl, clock } = await createEmulator({
    variants: undecided,
  })
  expect(variants.addSuccess).toBe(204)
  setVariants({ addSuccess: 201 })
  setVariants(undecided)
  expect(variants.addSuccess).toBe(201)
  faults.add({ name: 'latency', ...({ ms: undefined } as object) })
  const start = clock.now().getTime()
  await fetch(new URL('pullzone', managementUrl))
  expect(clock.now().getTime() - start).toBe(1000)
  state.addTraffic({ zones: 1, rowsPerSecond: 1, lateShare: 1, ...({ maxLatenessMs: undefined } as object) })
  const rows = state.logs.rows('10001', start - 10_000, start)
  expect(rows.every(({ timestamp, visibleFrom = 0 }) => visibleFrom > timestamp)).toBe(true)
})

test('close also closes a server that is still opening', async () => {
  const { listen, close } = await createEmulator()
  const opening = listen()
  await close()
  await expect(fetch((await opening).managementUrl)).rejects.toThrow()
})
