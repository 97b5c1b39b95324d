/** A logging interface with rows that it cannot send, and an exporter in virtual time that reads it. */
import type { Observe } from '../../src/engine/events.ts'
import { createApiReader } from '../../src/reader/api-reader.ts'
import type { Reject } from '../../src/rows/encoder.ts'
import { createSimulation, hour, minute } from './simulation.ts'

interface Page {
  readonly data: Readonly<Record<string, unknown>>[]
  readonly pagination: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
}

/** How a row spoils each response that contains it. `page` has the row; `n` is its index. */
type Spoil = (page: Page, n: number) => BodyInit | Response | Error

const changed = (change: (row: Readonly<Record<string, unknown>>) => unknown): Spoil => {
  return (page, n) => JSON.stringify({ ...page, data: page.data.map((row, at) => (at === n ? change(row) : row)) })
}
const textChanged = (change: (text: string) => string): Spoil => {
  return (page) => change(JSON.stringify(page))
}
const agent = '"AGENT"'

/** The ways in which an answer cannot be read, or a row cannot be stored. */
export const spoils: Readonly<Record<string, Spoil>> = {
  'a raw escape character': textChanged((text) => text.replace(agent, '"\u001b[0m \\x22bot\\x22"')),
  'status 500': () => new Response('{"error":{"code":"internal_error"}}', { status: 500 }),
  'bytes that are not UTF-8': (page) => {
    const [before = '', after = ''] = JSON.stringify(page).split(agent)
    return Buffer.concat([Buffer.from(`${before}"`), Buffer.from([0xfa]), Buffer.from(`"${after}`)])
  },
  'cut inside a character': (page) => {
    const bytes = Buffer.from(JSON.stringify(page).replace(agent, '"€"'))
    return bytes.subarray(0, bytes.indexOf('€') + 1)
  },
  'an object of 10,000 levels': textChanged((text) =>
    text.replace(agent, `"a","deep":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  ),
  'pages that disagree': (page) =>
    JSON.stringify({ ...page, pagination: { ...page.pagination, returned: page.data.length + 1 } }),
  'a row without a time': changed(({ timestamp: _, ...row }) => row),
  'a page that never ends': () =>
    new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(2 ** 20, 32)) }),
  'status 422': () => new Response('{"error":{"code":"unprocessable"}}', { status: 422 }),
  'a broken connection': () => new TypeError('fetch failed'),
  'an empty body': () => '',
  'a page of HTML': () => '<html><body>Please sign in</body></html>',
  'rows in another order': (page) => JSON.stringify({ ...page, data: [...page.data, ...page.data.slice(0, 1)] }),
  'another range': (page) => JSON.stringify({ ...page, query: { ...page.query, from: '2000-01-01T00:00:00.000Z' } }),
  'a number beyond a double': textChanged((text) => text.replace(agent, '"a","huge":1e999')),
  'a text instead of a row': changed(() => 'row'),
}

/** A range whose requests always fail, whatever rows it has. */
export const brokenMinute = 'a minute that always fails'

export interface SpoiltResult {
  readonly rows: number
  readonly stored: number
  readonly letters: number
  /** Rows in open gaps. */
  readonly open: number
  /** Rows in recorded gaps. */
  readonly gone: number
  /** Rows that are neither stored, nor dead letters, nor in a gap. */
  readonly lost: number
  readonly doubled: number
  /** Time from the start of the work until the window after the spoilt one was recorded, in s. */
  readonly nextWindowS: number
  /** Length of all open gaps, in ms. */
  readonly gapMs: number
  readonly requests: number
  /** Values that are reported as replaced. */
  readonly replaced: number
}

/**
 * Exports 120 rows, one per minute. The 11th is of the first kind. For a second kind, there is one more row, a millisecond later.
 *
 * @param mode whether the daemon runs for some hours of virtual time, or a backfill reads the two hours
 * @param hours how long the daemon runs
 * @param mended after how many hours the platform can send all rows
 * @param outage after how many hours the platform answers each request with 503
 */
export async function exportSpoilt(
  kinds: readonly string[],
  mode: 'run' | 'backfill',
  hours = 1,
  mended = Number.POSITIVE_INFINITY,
  outage = Number.POSITIVE_INFINITY,
): Promise<SpoiltResult> {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.001 } })
  const { time, zone, sink, ledger, emulator } = simulation
  const start = Math.floor(time.now() / hour) * hour - 3 * hour
  const bad = start + 10 * minute + 137
  const kindAt = new Map(kinds.map((kind, n) => [bad + n, kind]))
  const times = Array.from({ length: 120 }, (_, n) => start + n * minute + 137)
  if (kinds.length > 1) times.splice(11, 0, bad + 1)
  const all = times.map((at, n) => ({
    ...{ timestamp: new Date(at).toISOString(), pullZoneId: Number(zone), requestId: n.toString(16).padStart(32, '0') },
    ...{ cacheStatus: 'HIT', statusCode: 200, bytesSent: 100, remoteIp: '192.0.2.1', countryCode: 'DE' },
    ...{ userAgent: kindAt.has(at) ? 'AGENT' : 'agent', scheme: 'https', host: 'a.example', path: `/${n}` },
    url: `https://a.example/${n}`,
  }))
  const begun = time.now()
  let requests = 0

  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests++
    const query = new URL(new Request(input, init).url).searchParams
    const [from, to] = [Date.parse(String(query.get('from'))), Date.parse(String(query.get('to')))]
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
    const within = all.filter(({ timestamp }) => Date.parse(timestamp) >= from && Date.parse(timestamp) < to)
    const data = within.slice(offset, offset + limit)
    const page: Page = {
      data,
      pagination: { offset, limit, returned: data.length, hasMore: offset + limit < within.length },
      query: {
        ...{ pullZoneId: Number(zone), from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        order: query.get('order') ?? 'desc',
      },
    }
    const headers = { 'content-type': 'application/json', date: new Date(time.now()).toUTCString() }
    const isMended = time.now() >= begun + mended * hour
    const isOut = time.now() >= begun + outage * hour
    const isBroken = isOut || (!isMended && kinds.includes(brokenMinute) && from < bad + minute - 1 && to > bad)
    const n = data.findIndex(({ timestamp }) => kindAt.has(Date.parse(timestamp)))
    const kind = isMended ? undefined : kindAt.get(Date.parse(String(data[n]?.timestamp)))
    const answer = isBroken
      ? new Response('', { status: 503 })
      : (spoils[kind ?? '']?.(page, n) ?? JSON.stringify(page))
    if (answer instanceof Error) throw answer
    const { status, body } = answer instanceof Response ? answer : { status: 200, body: answer }
    return new Response(body, { status, headers })
  }

  const rejects: Reject[] = []
  const reader = createApiReader({
    clients: { baseUrl: 'https://logging.invalid/', accessKey: emulator.fixtures.credentials.accessKey, fetch },
    now: time.now,
    sleep: time.sleep,
  })
  let nextWindow = Number.NaN
  let replaced = 0
  const observe: Observe = (event) => {
    if (event.type === 'replaced') replaced += event.values
    if (event.type === 'window' && event.window.from === start + 15 * minute) nextWindow = time.now()
  }
  const parts = {
    reader,
    observe,
    rejects: { add: async (_: string, more: readonly Reject[]) => void rejects.push(...more) },
  }
  if (mode === 'backfill') await simulation.backfill(start, start + 2 * hour, parts)
  else {
    await simulation.run(hours * hour, parts)
  }

  const ids = sink
    .exported(zone)
    .flatMap(({ lines }) => lines.map((line) => Number.parseInt(JSON.parse(line).requestId, 16)))
  const stored = new Set(ids)
  // A window that is read again has its dead letters again.
  const letters = new Set(rejects.map((each) => JSON.stringify(each))).size
  const [openGaps, gaps] = [await ledger.openGaps(zone), await ledger.gaps(zone)]
  const isIn = (ranges: readonly { readonly from: number; readonly to: number }[], at: number) =>
    ranges.some(({ from, to }) => at >= from && at < to)
  const away = times.filter((_, n) => !stored.has(n))
  const open = away.filter((at) => isIn(openGaps, at)).length
  const gone = away.filter((at) => !isIn(openGaps, at) && isIn(gaps, at)).length
  return {
    ...{ rows: times.length, stored: stored.size, letters, open, gone, requests, replaced },
    lost: Math.max(0, away.length - open - gone - letters), // a dead letter may lie in an open gap, too
    doubled: ids.length - stored.size,
    nextWindowS: Math.round((nextWindow - begun) / 1000),
    gapMs: openGaps.reduce((sum, { from, to }) => sum + to - from, 0),
  }
}
