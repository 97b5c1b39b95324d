import { createLoggingClient, createManagementClient, readLogs } from '@cdn/api'
import { type Drift, DriftError, withDrift } from '@cdn/api/drift'
import { createEmulator } from '@cdn/emulator'
import { expect, onTestFinished, test, vi } from 'vitest'

const zone = { Id: 42, Name: 'shop', AllowedReferrers: [] }
const query = { pullZoneId: 42, from: '2026-11-20T00:00:00Z', to: '2026-11-20T01:00:00Z', order: 'asc' }
const pagination = { offset: 0, limit: 100, returned: 1, hasMore: false }
const row = { timestamp: '2026-11-20T00:00:00.005Z', cacheStatus: 'MISS' }
const logs = (data: unknown, more: object = {}) => ({ data, pagination, query, ...more })
const json = (body: unknown, status = 200) => Response.json(body, { status })

const getZone = '/pullzone/{id}'
const queryLogs = '/v2/pullzones/{pullZoneId}/logs'

/** Sends one request of the operation, and returns what was reported. */
async function driftsOf(operation: string, response: Response, options: object = {}): Promise<Drift[]> {
  const drifts: Drift[] = []
  const name = operation === queryLogs ? 'logging' : 'management'
  const wrap = [withDrift(name, { onDrift: (drift) => drifts.push(drift), ...options })]
  const fetch = async () => response
  const management = createManagementClient({ fetch, wrap, accessKey: 'k-secret' })
  const calls: Record<string, () => Promise<unknown>> = {
    [getZone]: () => management.GET(getZone, { params: { path: { id: 42 } } }),
    '/pullzone': () => management.GET('/pullzone'),
    delete: () => management.DELETE('/videolibrary/{id}/watermark', { params: { path: { id: 1 } } }),
    [queryLogs]: () => createLoggingClient({ fetch, wrap }).GET(queryLogs, { params: { path: { pullZoneId: 42 } } }),
  }
  await calls[operation]?.().catch((error) => {
    if (error instanceof DriftError) throw error
  })
  return drifts
}

test.each([
  ['an id that is a text', getZone, json({ ...zone, Id: 'x' })],
  ['no id', getZone, json({ ...zone, Id: undefined })],
  ['an id that is null', getZone, json({ ...zone, Id: null })],
  ['a name that is a number', getZone, json({ ...zone, Name: 7 })],
  ['referrers that are a text', getZone, json({ ...zone, AllowedReferrers: 'a,b' })],
  ['referrers that are numbers', getZone, json({ ...zone, AllowedReferrers: [1] })],
  ['a list in an envelope', getZone, json([zone])],
  ['a body that is HTML', getZone, new Response('<p>maintenance</p>')],
  ['an empty body', getZone, new Response('')],
  ['a status that is not stated', getZone, json(zone, 206)],
  ['a list whose item has no id', '/pullzone', json([{ ...zone, Id: undefined }])],
  ['200 instead of 204', 'delete', json({})],
  ['rows that are not a list', queryLogs, json(logs({}))],
  ['no pagination', queryLogs, json(logs([row], { pagination: undefined }))],
  ['an error with the code of another status', queryLogs, json({ error: { code: 'rate_limited' } }, 400)],
])('drift: %s', async (_name, operation, response) => {
  const drifts = await driftsOf(operation, response)
  expect(drifts.length).toBeGreaterThan(0)
  expect(drifts.every(({ status }) => status === response.status)).toBe(true)
})

test('responses of the emulator, with 438 log rows, have no drift', async () => {
  const emulator = await createEmulator({ traffic: { zones: 1, rowsPerSecond: 0.5 } })
  const { fetch, fixtures, managementUrl, loggingUrl } = emulator
  const drifts: Drift[] = []
  const onDrift = (drift: Drift) => drifts.push(drift)
  const accessKey = fixtures.credentials.accessKey
  const management = createManagementClient({
    baseUrl: managementUrl,
    accessKey,
    fetch,
    wrap: [withDrift('management', { onDrift })],
  })
  const id = Number(fixtures.zoneId)
  await management.GET('/pullzone')
  await management.GET('/pullzone', { params: { query: { page: 1 } } })
  await management.GET(getZone, { params: { path: { id } } })
  await management.POST('/pullzone/{id}/addAllowedReferrer', {
    params: { path: { id } },
    body: { Hostname: 'a.example' },
  })
  await management.GET(getZone, { params: { path: { id: Number(fixtures.absentZoneId) } } })
  const logging = createLoggingClient({
    baseUrl: loggingUrl,
    accessKey,
    fetch,
    wrap: [withDrift('logging', { onDrift })],
  })
  let rows = 0
  const to = Date.parse('2026-06-17T14:30:00Z')
  for await (const _row of readLogs(logging, { pullZoneId: 10001, from: to - 3_600_000, to, pageSize: 100 }))
    if (++rows === 438) break
  expect(rows).toBe(438)
  expect(drifts).toEqual([])
})

test('only the sampled responses are validated', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.2)
  onTestFinished(() => random.mockRestore())
  expect(await driftsOf(getZone, json({}), { sample: 0.5 })).not.toEqual([])
  random.mockReturnValue(0.7)
  expect(await driftsOf(getZone, json({}), { sample: 0.5 })).toEqual([])
})

test('a drift fails the call only if requested', async () => {
  await expect(driftsOf(getZone, json({}), { fail: true })).rejects.toThrow(
    'GET /pullzone/{id} differs from the contract: the body of the 200',
  )
  const response = await createManagementClient({
    fetch: async () => json({ Id: 'x' }),
    wrap: [withDrift('management')],
  }).GET(getZone, { params: { path: { id: 42 } } })
  expect(response.data).toEqual({ Id: 'x' })
})

test('a report does not contain the credential', async () => {
  const drifts = await driftsOf(getZone, new Response('denied for k-secret'))
  expect(drifts.length).toBeGreaterThan(0)
  expect(JSON.stringify(drifts)).not.toContain('k-secret')
})
