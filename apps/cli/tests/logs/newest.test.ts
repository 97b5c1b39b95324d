import { createLimiter, createLoggingClient, type LogFilters, type LogRow } from '@cdn/api'
import { createEmulator, type Emulator, type EmulatorOptions } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { hourMs } from '@cdn/kit/time'
import { describe, expect, test } from 'vitest'
import { readNewest } from '../../src/logs/query.ts'

const zone = '10001'

async function start(options: EmulatorOptions, traffic: object = {}) {
  const emulator = await createEmulator({
    ...options,
    traffic: { zones: 1, rowsPerSecond: 2, tieShare: 0.4, ...traffic },
  })
  Object.assign(assertDefined(emulator.state.zones.get(zone)), { addresses: 'whole' })
  return emulator
}

async function newest(
  emulator: Emulator,
  range: { from: number; to: number },
  limit: number,
  filters: LogFilters = {},
  rows: LogRow[] = [],
) {
  const now = () => emulator.clock.now().getTime()
  const client = createLoggingClient({
    baseUrl: emulator.loggingUrl,
    fetch: emulator.fetch,
    accessKey: emulator.fixtures.credentials.accessKey,
    limiter: createLimiter({ now, sleep: (ms) => emulator.clock.waitUntil(now() + ms, new AbortController().signal) }),
  })
  const { signal } = new AbortController()
  for await (const row of readNewest(client, { pullZoneId: 10001, ...range, ...filters, signal }, limit)) {
    if (rows.push(row) === limit) break
  }
  return rows
}

function truth({ state }: Emulator, { from, to }: { from: number; to: number }, round: (ms: number) => number) {
  const rows = state.logs.rows(zone, from - 1, to + 1).filter(({ originShield }) => !originShield)
  return rows.filter(({ timestamp }) => round(timestamp) >= from && round(timestamp) < to)
}

const idsOf = (rows: readonly { requestId?: string | null }[]) => rows.map(({ requestId }) => requestId).sort()

describe('all rows of a range, newest first', () => {
  test.each([
    ['one page', {}, {}, hourMs / 4],
    ['many small pages, an hour', { pageCap: 1000 }, {}, hourMs],
    [
      'a store with finer times, which rounds',
      { pageCap: 1000, storedPrecision: 'microsecond', shownPrecision: 'rounded' },
      {},
      hourMs,
    ],
    ['a burst on one millisecond', {}, { bursts: { rows: 1200, everyMs: hourMs } }, 40 * 60_000],
  ] as const)('%s', async (_text, variants, traffic, length) => {
    const emulator = await start({ variants }, traffic)
    const to = emulator.clock.now().getTime()
    const range = { from: to - length, to }
    const rows = await newest(emulator, range, Number.POSITIVE_INFINITY)
    const round = 'shownPrecision' in variants ? Math.round : Math.floor
    expect(idsOf(rows)).toEqual(idsOf(truth(emulator, range, round)))
    const times = rows.map(({ timestamp }) => Date.parse(timestamp))
    expect(times).toEqual([...times].sort((a, b) => b - a))
  })

  test('down to a millisecond that has more rows than a response can hold, which is an error', async () => {
    const emulator = await start({ variants: { pageCap: 1000 } }, { bursts: { rows: 1200, everyMs: hourMs } })
    const to = emulator.clock.now().getTime()
    const rows: LogRow[] = []
    const reading = newest(emulator, { from: to - 40 * 60_000, to }, Number.POSITIVE_INFINITY, {}, rows)
    // The next millisecond cannot be proven complete either, because a store may round its rows up.
    const gap = { from: '2026-06-17T14:00:00.001Z', to: '2026-06-17T14:00:00.002Z' }
    await expect(reading).rejects.toMatchObject({ name: 'IncompleteLogsError', gap })
    expect(idsOf(rows)).toEqual(idsOf(truth(emulator, { from: Date.parse(gap.to), to }, Math.floor)))
  })

  test('with filters that make pages short', async () => {
    const filters = { status: '5xx', country: 'JP,DE' }
    const emulator = await start({ variants: { pageCap: 1000 } })
    const to = emulator.clock.now().getTime()
    const range = { from: to - hourMs, to }
    const rows = await newest(emulator, range, Number.POSITIVE_INFINITY, filters)
    const expected = truth(emulator, range, Math.floor).filter(
      ({ statusCode, countryCode }) => statusCode >= 500 && ['JP', 'DE'].includes(countryCode ?? ''),
    )
    expect(expected.length).toBeGreaterThan(10)
    expect(idsOf(rows)).toEqual(idsOf(expected))
  })
})

test.each([1, 7, 1000, 2500])('the newest %i, without omitting a newer one', async (limit) => {
  const emulator = await start({ variants: { pageCap: 1000 } })
  const to = emulator.clock.now().getTime()
  const range = { from: to - hourMs, to }
  const times = (await newest(emulator, range, limit)).map(({ timestamp }) => Date.parse(timestamp))
  const all = truth(emulator, range, Math.floor).map(({ timestamp }) => timestamp)
  expect(times).toEqual(all.sort((a, b) => b - a).slice(0, limit))
})

test('one page is one request', async () => {
  const emulator = await start({})
  const to = emulator.clock.now().getTime()
  await newest(emulator, { from: to - hourMs, to }, 100)
  expect(emulator.journal.entries).toHaveLength(1)
})

test.each([1, 100])('a platform that ignores the order: the newest %i', async (limit) => {
  const emulator = await start({})
  const to = emulator.clock.now().getTime()
  const range = { from: to - hourMs / 4, to }
  const fetch: typeof globalThis.fetch = (request, init) => {
    const { url, headers } = new Request(request, init)
    return emulator.fetch(url.replace('order=desc', 'order=asc'), { headers })
  }
  const times = (await newest({ ...emulator, fetch }, range, limit)).map(({ timestamp }) => Date.parse(timestamp))
  const all = truth(emulator, range, Math.floor).map(({ timestamp }) => timestamp)
  expect(times).toEqual(all.sort((a, b) => b - a).slice(0, limit))
})

test.each([null, 'text', { data: {} }, { data: [null], pagination: { returned: 1, hasMore: false } }])(
  'a first page that violates the contract is read again by time: %j',
  async (page) => {
    const emulator = await start({})
    const to = emulator.clock.now().getTime()
    const range = { from: to - hourMs / 4, to }
    const pages = [Response.json(page)]
    const fetch: typeof globalThis.fetch = async (...request) => pages.shift() ?? emulator.fetch(...request)
    const rows = await newest({ ...emulator, fetch }, range, Number.POSITIVE_INFINITY)
    expect(idsOf(rows)).toEqual(idsOf(truth(emulator, range, Math.floor)))
  },
)
