import { setImmediate } from 'node:timers/promises'
import { assertDefined } from '@cdn/kit/assert-defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noWait } from '../../tests/fake-fetch.ts'
import { day, type FakeLogs, fakeLogs, type Page, type Stored, shown } from '../../tests/fake-logs.ts'
import { contracts } from '../contract/index.ts'
import {
  createLimiter,
  createLoggingClient,
  IncompleteLogsError,
  type LogReader,
  type LogRow,
  type LogsQuery,
  readLogs,
} from '../index.ts'
import { createRowReader } from './row-reader.ts'

const limiter = createLimiter({ requests: 1e6 })

function reader(logs: FakeLogs, query: Partial<LogsQuery> = {}) {
  const { fetch, requests } = fakeLogs(logs)
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
  const range = { pullZoneId: 1, from: day, to: day + 60, retry: { sleep: noWait } }
  return { rows: readLogs(client, { ...range, ...query }), requests }
}

async function collect<T>(rows: AsyncIterable<T>, max = Number.POSITIVE_INFINITY): Promise<T[]> {
  const all: T[] = []
  if (max > 0) for await (const row of rows) if (all.push(row) >= max) break
  return all
}

const texts = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
const row = (at: number, fields = {}): Stored => ({ at, fields: { path: `/${at}`, ...fields } })

const shows = { cut: Math.floor, round: Math.round }
const scenario = fc.record({
  times: fc.array(fc.oneof(fc.integer({ min: 0, max: 260 }), fc.constantFrom(80, 81, 84, 85, 120)), { maxLength: 60 }),
  ids: fc.array(fc.constantFrom(null, undefined, 'shared', 'other'), { minLength: 1 }),
  countries: fc.array(fc.constantFrom('DE', 'FR', null), { minLength: 1 }),
  mode: fc.constantFrom('cut' as const, 'round' as const),
  zone: fc.constantFrom('Z' as const, '+00:00' as const),
  pageSize: fc.integer({ min: 1, max: 40 }),
  largest: fc.integer({ min: 1, max: 40 }),
  from: fc.integer({ min: 0, max: 30 }),
  length: fc.integer({ min: 0, max: 40 }),
  seed: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  faults: fc.infiniteStream(fc.constantFrom('', '', '', '', '503', 'null', 'bytes', 'cut', 'network')),
  country: fc.constantFrom(undefined, 'DE'),
  atEdge: fc.boolean(),
  stop: fc.integer({ min: 0, max: 60 }),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

function faultOf(name: string, page: Page): Response | Error | undefined {
  if (name === '503') return new Response('<html>', { status: 503, headers: { 'Retry-After': '-1' } })
  if (name === 'bytes') return new Response('')
  if (name === 'cut') return new Response(JSON.stringify(page).slice(0, -9))
  if (name === 'network') return new TypeError('fetch failed')
  if (name !== 'null') return undefined
  const pagination = { ...page.pagination, returned: 0, hasMore: false }
  return Response.json({ ...page, data: null, pagination })
}

function play(values: Scenario) {
  const { times, ids, countries, mode, zone, pageSize, largest, length, seed, faults, country, atEdge } = values
  const rows = times.map((at, n): Stored => {
    const [requestId, countryCode] = [ids[n % ids.length], countries[n % countries.length]]
    return { at: at / 4, fields: { path: `/${n}`, requestId, countryCode } }
  })
  // Parts are read concurrently. The same request never gets two faults in a row.
  const faulty = new Set<string>()
  const fault = (_n: number, page: Page) => {
    const name: string = faults.next().value
    const question = JSON.stringify([page.query, page.pagination.offset])
    if (name === '' || faulty.delete(question)) return undefined
    faulty.add(question)
    return faultOf(name, page)
  }
  const random = (): number => seed.next().value
  const oldest = atEdge ? { oldest: values.from } : {}
  const logs: FakeLogs = { rows, show: shows[mode], zone, largest, random, fault, ...oldest }
  const query = { from: day + values.from, to: day + values.from + length, pageSize, ...(country && { country }) }
  const expected = rows
    .filter(({ at }) => shows[mode](at) >= values.from && shows[mode](at) < values.from + length)
    .filter(({ at, fields }) => (!atEdge || at >= values.from) && (!country || fields['countryCode'] === country))
  return { logs, query, expected: expected.map((stored) => shown(stored, shows[mode], zone)) }
}

/** Reads rows until the end or a gap. A gap must be a millisecond that has, with its margins, more rows than a page of the server. */
async function collectToGap(rows: LogReader, { rows: stored, largest }: FakeLogs) {
  const all: LogRow[] = []
  let gap = Number.POSITIVE_INFINITY
  try {
    for await (const row of rows) all.push(row)
  } catch (error) {
    if (!(error instanceof IncompleteLogsError)) throw error
    expect(error.message).toContain('more rows than a response can hold')
    gap = Date.parse(error.gap.from)
    expect(Date.parse(error.gap.to)).toBe(gap + 1)
    expect(rows.resume).toBe(error.gap.from)
    const near = stored.filter(({ at }) => day + at >= gap - 1 && day + at < gap + 2)
    expect(near.length).toBeGreaterThan(assertDefined(largest))
  }
  return { rows: all, isBeforeGap: ({ timestamp }: { timestamp?: unknown }) => Date.parse(String(timestamp)) < gap }
}

test('each row is read once, in order, up to a reported gap, for any ties, rounding, page sizes and faults', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (values) => {
      const { logs, query, expected } = play(values)
      const { rows, isBeforeGap } = await collectToGap(reader(logs, query).rows, logs)
      expect(texts(rows)).toEqual(texts(expected.filter(isBeforeGap)))
      const times = rows.map(({ timestamp }) => Date.parse(timestamp))
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    }),
    { numRuns: 400 },
  )
})

test('a read resumes from its token: it repeats no earlier row and has all later ones', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (values) => {
      fc.pre(!values.atEdge)
      const { logs, query, expected } = play({ ...values, largest: 60 })
      const first = reader(logs, query).rows
      const before = await collect(first, values.stop)
      const { resume } = first
      const after = await collect(reader(logs, { ...query, from: resume }).rows)
      const isBefore = ({ timestamp }: { timestamp?: unknown }) => Date.parse(String(timestamp)) < Date.parse(resume)
      expect(texts([...before.filter(isBefore), ...after])).toEqual(texts(expected))
      expect(
        before.filter((each) => !isBefore(each)).every(({ timestamp }) => Date.parse(timestamp) === Date.parse(resume)),
      ).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('equal rows count as often as they exist', async () => {
  const twins = [5, 5, 5, 9, 9, 12].map((at) => row(at))
  const { rows } = reader({ rows: twins, show: Math.floor }, { pageSize: 5 })
  expect(await collect(rows)).toHaveLength(6)
})

test('a page whose rows all have the same time costs only a few more requests', async () => {
  const many = { rows: Array.from({ length: 8 }, () => row(50_000)), show: Math.floor }
  const { rows, requests } = reader(many, { pageSize: 3, to: day + 50_001 })
  expect(await collect(rows)).toHaveLength(8)
  expect(requests.length).toBeLessThanOrEqual(8)
})

test('a millisecond of more rows than the page size is read with the largest page', async () => {
  const many = { rows: Array.from({ length: 8 }, (_, n) => row(n < 7 ? 7 : 30)), show: Math.floor }
  expect(await collect(reader(many, { pageSize: 3 }).rows)).toHaveLength(8)
})

// With filters, a page that is followed by others does not show how far it reaches. So the reader halves its ranges down to one
// millisecond.
test.each([
  [{}, 7],
  [{ country: 'DE' }, 23],
])(
  'a millisecond of more rows than a response holds is reported as a gap: %o, at most %i requests',
  async (filters, maxRequests) => {
    const [from, to] = ['2026-11-20T00:00:00.007Z', '2026-11-20T00:00:00.008Z']
    const times = [3, 3, ...Array<number>(8).fill(7.5), 30]
    const stored = times.map((at) => row(at, { countryCode: 'DE' }))
    const { rows, requests } = reader({ rows: stored, show: Math.floor, largest: 5 }, { pageSize: 3, ...filters })
    const read: LogRow[] = []
    const reading = (async () => {
      for await (const row of rows) read.push(row)
    })()
    await expect(reading).rejects.toMatchObject({ name: 'IncompleteLogsError', gap: { from, to } })
    expect(read).toHaveLength(2)
    expect(rows.resume).toBe(from)
    expect(requests.length).toBeLessThanOrEqual(maxRequests)
  },
)

test('requests 1 ms more on both sides, ascending, with the filters', async () => {
  const { rows, requests } = reader({ rows: [], show: Math.floor }, { status: '5xx', pageSize: 7 })
  await collect(rows)
  expect(Object.fromEntries(new URL(assertDefined(requests[0]).url).searchParams)).toEqual({
    from: '2026-11-19T23:59:59.999Z',
    to: '2026-11-20T00:00:00.061Z',
    status: '5xx',
    limit: '7',
    offset: '0',
    order: 'asc',
  })
})

test('a range as long as the retention is not extended, and its first millisecond is read', async () => {
  const length = assertDefined(contracts.logging.operations[0]?.retentionMs)
  const { rows, requests } = reader({ rows: [row(0)], show: Math.floor, oldest: 0 }, { to: day + length })
  expect(await collect(rows)).toHaveLength(1)
  const queries = requests.map(({ url }) => new URL(url).searchParams)
  expect(queries.map((query) => Date.parse(String(query.get('from'))) - day)).toEqual([-1, 0])
  expect(queries.map((query) => Date.parse(String(query.get('to'))) - day)).toEqual([length, length])
})

test.each<[string, (n: number, page: Page) => unknown]>([
  [
    'announced rows that are missing',
    (n: number, page: Page) =>
      n === 0 ? undefined : { ...page, data: [], pagination: { ...page.pagination, returned: 0, hasMore: false } },
  ],
  [
    'an empty page with more to follow',
    (_n: number, page: Page) => ({ ...page, data: [], pagination: { ...page.pagination, returned: 0 } }),
  ],
  ['another range', (_n: number, page: Page) => ({ ...page, query: { ...page.query, from: page.query.to } })],
  ['another order', (_n: number, page: Page) => ({ ...page, query: { ...page.query, order: 'desc' } })],
  ['null with a count', (_n: number, page: Page) => ({ ...page, data: null })],
  ['another zone', (_n: number, page: Page) => ({ ...page, query: { ...page.query, pullZoneId: 2 } })],
  ['a list instead of a page', () => []],
])('an inconsistent response is an error after 5 attempts: %s', async (_name, change) => {
  const fault = (n: number, page: Page) => {
    const changed = change(n, page)
    return changed === undefined ? undefined : Response.json(changed)
  }
  const { rows, requests } = reader(
    { rows: [1, 2, 3, 4, 5].map((at) => row(at)), show: Math.floor, fault },
    { pageSize: 3 },
  )
  await expect(collect(rows)).rejects.toThrow(IncompleteLogsError)
  const byUrl = Map.groupBy(requests, ({ url }) => url)
  expect(Math.max(...[...byUrl.values()].map(({ length }) => length))).toBe(5)
})

test.each<[string, (page: Page) => unknown]>([
  ['rows out of order', (page) => ({ ...page, data: page.data?.toReversed() })],
  ['a larger page than requested', (page) => ({ ...page, pagination: { ...page.pagination, limit: 4 } })],
])('%s cannot be trusted, but each millisecond can be read', async (_name, change) => {
  const fault = (_n: number, page: Page) => Response.json(change(page))
  const stored = [1, 2, 3, 4, 5].map((at) => row(at))
  const { rows } = reader({ rows: stored, show: Math.floor, fault }, { pageSize: 3 })
  expect(texts(await collect(rows))).toEqual(texts(stored.map((each) => shown(each, Math.floor))))
})

/** Responses to a request that includes a row that the platform cannot send. */
const spoilt: readonly ((page: Page) => Response | Error)[] = [
  () => new Response('', { status: 500 }),
  () => new Response('{}', { status: 422 }),
  () => new TypeError('fetch failed'),
  (page) => new Response(JSON.stringify(page).replace('"path"', '\u001b"path"')),
  (page) => new Response(JSON.stringify(page).slice(0, -40)),
  () => new Response(''),
  () => Response.json([]),
  (page) => Response.json({ ...page, pagination: { ...page.pagination, returned: -1 } }),
]

test('rows that spoil each response cost only themselves: all others are read, and the gaps are named', {
  timeout: 60_000,
}, async () => {
  const stored = fc.array(fc.record({ at: fc.nat(59), kind: fc.option(fc.nat(spoilt.length - 1), { freq: 6 }) }), {
    maxLength: 30,
  })
  const show = fc.constantFrom(...Object.values(shows))
  await fc.assert(
    fc.asyncProperty(stored, fc.integer({ min: 3, max: 40 }), show, fc.boolean(), async (...values) => {
      const [all, pageSize, show, isStable] = values
      const rows = all.map(({ at, kind }, n) => row(at + (n % 3) / 3, { n, ...(kind !== null && { kind }) }))
      const fault = (_n: number, page: Page) => {
        const kinds = (page.data ?? []).flatMap((each) => (each as { kind?: number }).kind ?? [])
        return kinds.length > 0 ? spoilt[Number(kinds[0])]?.(page) : undefined
      }
      const spoils = rows.filter(({ fields }) => 'kind' in fields).map(({ at }) => Math.floor(at))
      // If no row of a millisecond can be read, nothing shows that the platform is not down.
      fc.pre(spoils.every((at) => spoils.filter((other) => other === at || other === at - 1).length < 4))
      // Rows of equal time have no fixed order. If it changes, no row of their millisecond can be told from another.
      const { fetch } = fakeLogs({ rows, show, fault, random: isStable ? () => 0 : Math.random })
      const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
      const range = { pullZoneId: 1, from: day, to: day + 60, retry: { sleep: noWait }, pageSize }
      const read: { timestamp?: unknown }[] = []
      const gaps: number[] = []
      let position = day
      for await (const batch of createRowReader(client).read(range)) {
        read.push(...batch.rows)
        if (batch.unread) {
          expect(batch.end).toBe(position + 1)
          gaps.push(position - day)
        }
        position = batch.end
      }
      expect(position).toBe(day + 60)
      const inRange = rows.filter(({ at }) => show(at) < 60)
      const good = inRange.filter(({ fields }) => fields['kind'] === undefined)
      const expected = good.map((each) => shown(each, show))
      const isOutside = ({ timestamp }: { timestamp?: unknown }) => !gaps.includes(Date.parse(String(timestamp)) - day)
      if (isStable) expect(texts(read)).toEqual(texts(expected))
      expect(texts(read.filter(isOutside))).toEqual(texts(expected.filter(isOutside)))
      const bad = rows.filter(({ fields }) => fields['kind'] !== undefined).map(({ at }) => show(at))
      expect(bad.every((at) => at === 60 || gaps.includes(at))).toBe(true)
      // The requests for the milliseconds next to it may have the row, too: one has a margin, and a store may round.
      expect(gaps.every((at) => bad.some((each) => Math.abs(each - at) <= 1))).toBe(true)
      const reading = collect(readLogs(client, range))
      if (gaps.length === 0) expect(await reading).toHaveLength(good.length)
      else await expect(reading).rejects.toMatchObject({ gap: { from: new Date(day + Number(gaps[0])).toISOString() } })
    }),
    { numRuns: propertyRuns(150) },
  )
})

test('bytes that are not UTF-8 are counted', async () => {
  const fault = (_n: number, page: Page) => {
    const text = JSON.stringify({
      ...page,
      data: page.data?.map((each) => ({ ...(each as object), path: '/\ufffd?' })),
    })
    const parts = text.split('?').map((part) => Buffer.from(part))
    return new Response(Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [Buffer.from([0xfa]), part]))))
  }
  const { fetch } = fakeLogs({ rows: [row(1), row(1)], show: Math.floor, fault })
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
  const batches = await collect(createRowReader(client).read({ pullZoneId: 1, from: day, to: day + 60 }))
  expect(batches.map(({ replaced }) => replaced)).toEqual([2])
})

test('a page whose data is null ends a range read after a second response confirms it', async () => {
  const fault = (_n: number, page: Page) => faultOf('null', page)
  const { rows, requests } = reader({ rows: [], show: Math.floor, fault })
  expect(await collect(rows)).toEqual([])
  expect(requests).toHaveLength(2)
})

test('waits as long as the server requests, up to 30 s; after a 429 without Retry-After, a window of the rate limit', async () => {
  const waits: number[] = []
  const responses = ['3', '86400', 'Fri, 20 Nov 2020 00:00:00 GMT', '-5', ''].map(
    (after) => new Response('', { status: 429, headers: after ? { 'Retry-After': after } : {} }),
  )
  const sleep = async (ms: number) => void waits.push(ms)
  const { rows } = reader({ rows: [], show: Math.floor, fault: (n) => responses[n] }, { retry: { sleep } })
  await expect(collect(rows)).rejects.toMatchObject({ status: 429 })
  const windowMs = contracts.logging.operations[0]?.rateLimit?.windowMs
  expect(waits).toEqual([3000, 30_000, windowMs, windowMs])
})

test.each([
  [400, 3],
  [403, 1],
  [404, 1],
  [500, 15],
])('a %i ends the read after %i requests', async (status, count) => {
  const { rows, requests } = reader({ rows: [], show: Math.floor, fault: () => new Response('', { status }) })
  await expect(collect(rows)).rejects.toMatchObject({ name: 'ApiError', status })
  expect(requests).toHaveLength(count)
})

test.each([
  [{ from: 'yesterday' }, 'from must be'],
  [{ from: '2026-11-20T00:00:00' }, 'from must be'],
  [{ to: 0.5 }, 'to must be'],
  [{ to: new Date(Number.NaN) }, 'to must be'],
  [{ from: day + 61 }, 'from must not be after to'],
  [{ pageSize: 0 }, 'pageSize must be'],
  [{ pageSize: 10_001 }, 'pageSize must be'],
])('refused at once: %o', (query, message) => {
  const read = () => reader({ rows: [], show: Math.floor }, query)
  expect(read).toThrow(RangeError)
  expect(read).toThrow(message)
})

test('pages that are longer than the limit are requested with fewer rows, down to one', async () => {
  const long = Array.from({ length: 40 }, (_, n) => row(n, { path: `/${n}/${'x'.repeat(n % 7 === 0 ? 3000 : 10)}` }))
  const { rows } = reader({ rows: long, show: Math.floor }, { maxPageBytes: 5000 })
  expect(texts(await collect(rows))).toEqual(texts(long.map((each) => shown(each, Math.floor))))
  const tooLong = reader({ rows: long, show: Math.floor }, { maxPageBytes: 2000 })
  await expect(collect(tooLong.rows)).rejects.toThrow(/is longer than the limit of 2000 bytes/)
})

test('the time limit of a page uses the clock of the client', async () => {
  let time = 0
  const clock = { now: () => time, sleep: noWait, timer: () => () => {} }
  const pull = (body: ReadableStreamDefaultController) => {
    time += 50_000
    if (time > 400_000) body.close()
    else body.enqueue(new TextEncoder().encode(' '))
  }
  const fetch = async () => new Response(new ReadableStream({ pull }))
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, retry: false, clock })
  const rows = readLogs(client, { pullZoneId: 1, from: day, to: day + 1 })
  await expect(collect(rows)).rejects.toThrow('does not end within 300 s')
})

test('the signal ends the read at the next row with its reason, also within a page', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const stored = Array.from({ length: 50 }, (_, n) => row(n % 5))
  const { rows } = reader({ rows: stored, show: Math.floor }, { signal: stop.signal })
  await rows.next()
  stop.abort(reason)
  await expect(rows.next()).rejects.toBe(reason)
})

test('an abort at the end of a page frees its slot', async () => {
  const { fetch } = fakeLogs({ rows: [row(1)], show: Math.floor })
  const client = createLoggingClient({ baseUrl: 'https://logging.invalid', fetch, limiter })
  const { read } = createRowReader(client, { pages: 2 })
  const range = { pullZoneId: 1, from: day, to: day + 60 }
  for (let n = 0; n < 2; n++) {
    const stop = new AbortController()
    const end = () => {
      stop.abort()
      return []
    }
    await collect(read({ ...range, signal: stop.signal }, () => ({ add() {}, end }))).catch(() => {})
  }
  const turns = setImmediate(undefined).then(() => setImmediate('no slot is free'))
  expect(await Promise.race([collect(read(range)), turns])).toHaveLength(1)
})

/** Ways in which a platform shows a row that cannot be placed. */
const flaws: readonly ((shown: Record<string, unknown>) => unknown)[] = [
  () => null,
  () => 'text',
  ({ timestamp: _, ...others }) => others,
  (shown) => ({ ...shown, timestamp: null }),
  (shown) => ({ ...shown, timestamp: Date.parse(String(shown['timestamp'])) }),
  (shown) => ({ ...shown, timestamp: '2026-11-19T23:59:60.000Z' }),
  (shown) => ({ ...shown, timestamp: String(shown['timestamp']).replace('Z', '') }),
  (shown) => ({ ...shown, timestamp: '9999-12-31T00:00:00.000Z' }),
  (shown) => ({ ...shown, timestamp: '1970-01-21T00:00:00.000Z' }),
]

test('rows that cannot be placed do not affect the others: none is lost, in pages of any size, also if a server ignores the order', async () => {
  const stored = fc.record({ at: fc.nat(59), flaw: fc.option(fc.nat(flaws.length - 1), { freq: 2 }) })
  const rows = fc.array(stored, { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 4, max: 70 }), fc.boolean(), async (all, pageSize, isDescending) => {
      // The number `n` distinguishes equal rows. Entries that become `null` or text lose it.
      const damaged = new Map(all.map(({ flaw }, n) => [n, flaw === null ? undefined : flaws[flaw]] as const))
      const change = (value: unknown) => {
        const shown = value as Record<string, unknown> // the fake server shows only objects
        return damaged.get(Number(shown['n']))?.(shown) ?? (damaged.get(Number(shown['n'])) ? null : shown)
      }
      const fault = (_n: number, page: Page) => Response.json({ ...page, data: page.data?.map(change) })
      // Each row is requested alone then, so rows of equal time need a fixed order.
      const order = isDescending ? { isDescending, random: () => 0 } : {}
      const { rows: reading } = reader(
        { rows: all.map(({ at }, n) => row(at, { n })), show: Math.floor, fault, ...order },
        { pageSize },
      )
      const read = await collect(reading)
      const idsOf = (isPlaced: boolean) =>
        read.flatMap(({ n, malformed }) =>
          malformed || (damaged.get(Number(n)) === undefined) !== isPlaced ? [] : Number(n),
        )
      const byNumber = (a: number, b: number) => a - b
      const expected = (isIn: (flaw: number | null) => boolean) => all.flatMap(({ flaw }, n) => (isIn(flaw) ? [n] : []))
      expect(idsOf(true).sort(byNumber)).toEqual(expected((flaw) => flaw === null))
      // Next to a boundary between two requests, such a row may be there twice.
      expect([...new Set(idsOf(false))].sort(byNumber)).toEqual(expected((flaw) => flaw !== null && flaw > 1))
      const strays = expected((flaw) => flaw === 0 || flaw === 1).length
      expect(read.filter(({ malformed }) => malformed).length).toBeGreaterThanOrEqual(strays)
    }),
  )
})
