import { operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { hourMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { queryNaively, type V2Query } from '../../../tests/support/query-naively.ts'
import { createRow, start, unlimited } from '../../../tests/support/start.ts'
import { hostileTexts, userAgents } from '../traffic/texts.ts'

const zone = '2003'
const path = `v2/pullzones/${zone}/logs`

interface Page {
  data: Record<string, unknown>[]
  pagination: { offset: number; limit: number; returned: number; hasMore: boolean }
  query: { pullZoneId: number; from: string; to: string; order: string }
}

const { emulator: stable, ask: askStable } = await start({ variants: { tieOrder: 'stable' } })
stable.faults.add(unlimited)
const now = stable.clock.now().getTime()
const late = [1, 2, 3].map((ms) =>
  createRow({ timestamp: now - hourMs, pullZoneId: zone, visibleFrom: now + ms - 2, bytesSent: ms }),
)
stable.state.logs.append(late)
const all = stable.state.logs.rows(zone)

const search = (query: object) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
const query = async (ask: typeof askStable, parameters: object): Promise<Page> =>
  (await ask.logging(`${path}?${search(parameters)}`)).json()

/** Rows of the store. Filters take their values from these rows, so they match some rows. */
const row = fc.constantFrom(...all)
const time = fc.oneof(
  row.map(({ timestamp }) => timestamp),
  fc.integer({ min: now - 72 * hourMs, max: now + hourMs }),
)
const span = fc
  .tuple(time, time)
  .map(([a, b]) => [Math.max(Math.min(a, b), now - 72 * hourMs), Math.max(a, b, now - 72 * hourMs)] as const)
  .filter(([from, to]) => to - from <= 72 * hourMs)
  .map(([from, to]) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() }))
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const rare = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const list = (item: fc.Arbitrary<string>) =>
  fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','))
const part = (text: string) =>
  fc.tuple(fc.nat(text.length), fc.integer({ min: 1, max: 6 })).map(([at, length]) => text.slice(at, at + length))
const partOf = (texts: readonly string[]) =>
  fc
    .constantFrom(...texts)
    .chain(part)
    .map((text) => text.toWellFormed().toUpperCase())
const uuid = (hex: string) => hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')

const queries: fc.Arbitrary<V2Query> = fc
  .tuple(
    fc.option(span, { nil: {}, freq: 5 }),
    fc.record({
      status: rare(list(fc.constantFrom('200', '404', '2xx', '5xx', '304'))),
      cacheStatus: rare(list(fc.constantFrom('HIT', 'MISS', '-', 'EXPIRED', 'hit'))),
      country: rare(list(fc.constantFrom('DE', 'JP', 'XX'))),
      edgeLocation: rare(fc.constantFrom('DE', 'SG', 'nowhere')),
      remoteIp: rare(row.map(({ remoteIp }) => remoteIp).filter((address) => address !== null)),
      urlContains: rare(partOf(all.slice(0, 50).map(({ host, path }) => host + path))),
      userAgentContains: rare(partOf([...userAgents, ...hostileTexts])),
      refererContains: rare(partOf(['https://www.example.com/', 'cart', '<script>'])),
      search: rare(
        fc
          .array(partOf(['HIT MISS', 'bytes 0-1', ...userAgents, ...hostileTexts]), { maxLength: 3 })
          .map((tokens) => tokens.join(' ')),
      ),
      requestId: rare(
        row
          .map(({ requestId }) => requestId)
          .filter((id) => id !== null)
          .chain((id) => fc.constantFrom(id, uuid(id))),
      ),
      includeOriginShield: some(fc.boolean()),
      limit: some(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10_000 }))),
      offset: some(fc.nat(60)),
      order: some(fc.constantFrom('asc', 'desc')),
    }),
  )
  .map(
    ([range, rest]) =>
      // The same record without its undefined fields.
      Object.fromEntries(Object.entries({ ...range, ...rest }).filter(([, value]) => value !== undefined)) as V2Query,
  )

/** All query parameters of v2 in the contract, with empty values. */
const everyParameter = Object.fromEntries(
  defined(operations.find(({ name }) => name === 'query-logs'))
    .parameters.filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [name, '']),
)

const shown = (entry: Record<string, unknown>) => [
  entry['requestId'],
  entry['bytesSent'],
  Date.parse(String(entry['timestamp'])),
]
const shownRow = (r: (typeof all)[number]) => [r.requestId, r.bytesSent, r.timestamp]

describe('v2 against a naive oracle', () => {
  test('returns the same page', async () => {
    const runs = propertyRuns(1_000)
    const matched: string[] = []
    await fc.assert(
      fc.asyncProperty(queries, async (request) => {
        const page = await query(askStable, request)
        const expected = queryNaively(all, request, now)
        expect(page.data.map(shown)).toEqual(expected.rows.map(shownRow))
        expect(page.pagination).toEqual({
          offset: request.offset ?? 0,
          limit: request.limit ?? 100,
          returned: expected.rows.length,
          hasMore: expected.hasMore,
        })
        if (expected.rows.length > 0) matched.push(...Object.keys(request))
      }),
      { numRuns: runs },
    )
    for (const name of search(everyParameter).keys())
      expect(matched.filter((used) => used === name).length, `${name} matched rows`).toBeGreaterThan(runs / 500)
  }, 300_000)

  test('returns ties in any order, but each row of a range once', async () => {
    const { emulator, ask } = await start()
    emulator.faults.add(unlimited)
    const rows = emulator.state.logs.rows(zone)
    const orders = new Set<string>()
    for (let count = 0; count < 5; count++) {
      const page = await query(ask, { limit: 10_000, order: 'asc' })
      const expected = queryNaively(rows, { limit: 10_000, order: 'asc' }, now)
      expect(page.data.map((entry) => shown(entry)[2])).toEqual(expected.rows.map(({ timestamp }) => timestamp))
      expect(page.data.map((entry) => entry['requestId']).sort()).toEqual(
        expected.rows.map(({ requestId }) => requestId).sort(),
      )
      orders.add(JSON.stringify(page.data.map(shown)))
    }
    expect(orders.size).toBeGreaterThan(1)
  })

  test('generates the same traffic for the same seed, and other traffic for another seed', async () => {
    const [one, same, other] = await Promise.all([start({ seed: 5 }), start({ seed: 5 }), start({ seed: 6 })])
    expect(same.emulator.state.logs.rows(zone)).toEqual(one.emulator.state.logs.rows(zone))
    expect(other.emulator.state.logs.rows(zone)).not.toEqual(one.emulator.state.logs.rows(zone))
  })
})

describe('v2', () => {
  test('returns the effective query, by default the last 24 hours', async () => {
    expect((await query(askStable, {})).query).toEqual({
      pullZoneId: 2003,
      from: new Date(now - 24 * hourMs).toISOString(),
      to: new Date(now).toISOString(),
      order: 'desc',
    })
  })

  test('shows a row from the time at which it becomes visible until the end of the retention', async () => {
    const { emulator, ask } = await start()
    const at = (ms: number, visibleFrom: number) =>
      createRow({ timestamp: ms, visibleFrom, pullZoneId: '2002', requestId: 'f'.repeat(32) })
    emulator.state.logs.append([at(now - 71 * hourMs, now + 60_000)])
    const count = async () => {
      const from = new Date(emulator.clock.now().getTime() - 72 * hourMs).toISOString()
      const response = await ask.logging(`v2/pullzones/2002/logs?requestId=${'f'.repeat(32)}&from=${from}`)
      const { data }: Page = await response.json()
      return data.length
    }
    expect(await count()).toBe(0)
    emulator.clock.advance(60_000)
    expect(await count()).toBe(1)
    emulator.clock.advance(hourMs - 60_000)
    expect(await count()).toBe(1)
    emulator.clock.advance(1)
    expect(await count()).toBe(0)
  })

  test.each([
    ['last octet removed', '198.51.100.0', '2001:db8:17:5::'],
    ['dropped', '0.0.0.0', '::'],
  ] as const)('with addresses %s, shows and matches addresses in that form', async (addresses, v4, v6) => {
    const { emulator, ask } = await start()
    emulator.faults.add(unlimited)
    const shownZone = emulator.state.zones.get('2003')
    if (shownZone) shownZone.addresses = addresses
    const everything = await query(ask, { limit: 10_000 })
    expect(everything.data.map((entry) => entry['remoteIp'])).toEqual(expect.arrayContaining([v4, v6]))
    const v4Page = await query(ask, { limit: 10_000, remoteIp: '198.51.100.200' })
    const v6Page = await query(ask, { limit: 10_000, remoteIp: '2001:DB8:17:5:ffff:0:0:1' })
    if (addresses === 'dropped')
      expect([v4Page.data.length, v6Page.data.length]).toEqual(Array(2).fill(everything.data.length))
    else {
      expect(new Set(v4Page.data.map((entry) => entry['remoteIp']))).toEqual(new Set([v4]))
      expect(new Set(v6Page.data.map((entry) => entry['remoteIp']))).toEqual(new Set([v6]))
    }
  })

  test.each([
    'limit=0',
    'limit=10001',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'offset=-1',
    'offset=9223372036854775808',
    'order=up',
    'from=yesterday',
    'from=2026-06-17',
    'from=2026-06-31T00:00:00Z',
    'to=2026-06-17T25:00:00Z',
    'includeOriginShield=1',
    `from=${new Date(now - 72 * hourMs - 1).toISOString()}`,
    `from=${new Date(now - 72 * hourMs).toISOString()}&to=${new Date(now + 1).toISOString()}`,
    `from=${new Date(now).toISOString()}&to=${new Date(now - 1).toISOString()}`,
    `search=${Array(17).fill('a').join('+')}`,
    `search=${'a'.repeat(129)}`,
    'status=6xx',
    'status=404,',
    'country=DEU',
    'remoteIp=1.2.3',
    'requestId=12',
  ])('refuses %s', async (parameters) => {
    const response = await askStable.logging(`${path}?${parameters}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { code: 'invalid_request', message: expect.any(String), details: [expect.any(String)] },
    })
  })

  test.each([
    `search=${Array(16).fill('a'.repeat(128)).join('+')}`,
    'offset=9223372036854775807',
    'limit=10000',
    `from=${new Date(now - 72 * hourMs).toISOString()}`,
  ])('accepts %s', async (parameters) => {
    expect((await askStable.logging(`${path}?${parameters}`)).status).toBe(200)
  })

  test('returns sizes above 2^53 with all digits', async () => {
    const { emulator, ask } = await start()
    emulator.state.logs.append([createRow({ timestamp: now - 1, pullZoneId: zone, bytesSent: 9007199254740993n })])
    expect(await (await ask.logging(`${path}?limit=1`)).text()).toContain('"bytesSent":9007199254740993,')
  })

  test.each([
    ['2005', 403, 'forbidden'],
    ['2006', 403, 'forbidden'],
    ['2999', 403, 'forbidden'],
    ['2004', 404, 'logging_disabled'],
    ['abc', 400, 'invalid_request'],
  ])('for zone %s returns %s, in both versions', async (id, status, code) => {
    for (const url of [`v2/pullzones/${id}/logs`, `06-17-26/${id}.log`]) {
      const response = await askStable.logging(url)
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ error: { code } })
    }
  })
})
