/**
 * Simulates `readLogs` against the emulator. A seed determines late rows during the read, ties across pages, null and shared ids,
 * equal rows, timestamps that are finer than shown, filters, a reduced page size, and faults. A test runs some seeds.
 * `node src/client/read-logs-simulation.ts [seeds]` runs many seeds and prints the errors.
 */

import {
  ApiError,
  createLimiter,
  createLoggingClient,
  type LoggingClient,
  type LogRow,
  type LogsQuery,
  readLogs,
  TransportError,
} from '@cdn/api'
import { createEmulator, createZone, type FaultName, type StoredLogRow, type Variants } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { hourMs } from '@cdn/kit/time'

const zoneId = '777'
const faults: FaultName[] = [
  'internal-error',
  'rate-limited',
  'null-data',
  'bad-gateway',
  'reset-before',
  'reset-after',
  'cut-body',
  'empty-body',
  'no-json',
  'unknown-cache-status',
]

/** The result of the simulation with one seed. */
export interface SimulationResult {
  readonly rows: number
  readonly requests: number
  /** How often the read was resumed from its token after an error. */
  readonly resumed: number
  /** The errors; empty if all rows are right. */
  readonly wrong: readonly string[]
}

/** Runs one seed. */
export async function play(seed: number): Promise<SimulationResult> {
  const random = mulberry32(seed)
  const choose = <T>(values: readonly T[]) => assertDefined(values[Math.floor(random() * values.length)])
  const isCapped = seed % 25 === 0
  const variants: Partial<Variants> = {
    storedPrecision: 'microsecond',
    shownPrecision: choose(['cut', 'rounded']),
    tieOrder: choose(['shuffled', 'stable']),
    nullFields: choose(['omitted', 'null']),
    timestampStyle: choose(['Z', '+00:00']),
    emptyPage: choose(['array', 'null']),
    rateWindow: choose(['sliding', 'fixed', 'bucket']),
    pageCap: isCapped ? 1000 : 'none',
  }
  const emulator = await createEmulator({ seed, variants })
  const { state, clock, loggingUrl, fixtures } = emulator
  state.zones.set(zoneId, createZone(zoneId, { logging: 'enabled', addresses: 'whole', extendedLogging: true }))
  const start = clock.now().getTime()
  const span = choose([300, 3000, 600_000])
  const from = start - hourMs
  const pageSize = isCapped ? 10_000 : 3 + Math.floor(random() * 50)
  const stored = makeRows(random, {
    from,
    span,
    amount: isCapped ? 2500 : 20 + Math.floor(random() * 400),
    pageSize,
    start,
  })
  state.logs.append(stored)

  let requests = 0
  let first = Number.NaN
  const counted: typeof fetch = (input, init) => {
    requests++
    clock.advance(Math.floor(random() * 400))
    if (Number.isNaN(first)) first = clock.now().getTime()
    return emulator.fetch(input, init)
  }
  const sleep = async (ms: number) => clock.advance(ms)
  const limiter = createLimiter({ now: () => clock.now().getTime(), sleep })
  const { accessKey } = fixtures.credentials
  const client = createLoggingClient({ baseUrl: loggingUrl, accessKey, fetch: counted, limiter })
  const filter = choose([{}, {}, {}, { country: 'DE' }, { search: 'needle' }])
  // The server does not echo filters, so a stale page of the same range with other filters cannot be detected.
  const possible = 'country' in filter || 'search' in filter ? faults : [...faults, 'repeated-page' as const]
  const share = 0.12 / possible.length
  if (random() < 0.6) for (const name of possible) emulator.faults.add({ name, share, operation: 'query-logs' })
  const [begin, end] = [from + Math.floor(span * random() * 0.2), from + Math.floor(span * (0.7 + random() * 0.4))]

  const options = { pullZoneId: 777, from: begin, to: end, pageSize, retry: { sleep }, ...filter }
  const { read, wrong, resumed } = await readAll(client, options)
  const shownMs = ({ timestamp }: StoredLogRow) =>
    variants.shownPrecision === 'rounded' ? Math.round(timestamp) : Math.floor(timestamp)
  const expected = stored.filter(
    (row) =>
      shownMs(row) >= begin &&
      shownMs(row) < end &&
      (!('country' in filter) || row.countryCode === 'DE') &&
      (!('search' in filter) || row.path.includes('needle')),
  )
  if (wrong.length === 0) {
    const keys = (rows: readonly StoredLogRow[]) => count(rows.map((row) => keyOf(row, shownMs(row))))
    wrong.push(...faultsOf(read, keys(expected.filter((row) => (row.visibleFrom ?? 0) <= first)), keys(expected)))
  }
  return { rows: read.length, requests, resumed, wrong }
}

/** Reads a range, and resumes after each error. */
async function readAll(client: LoggingClient, options: LogsQuery) {
  const read: LogRow[] = []
  const wrong: string[] = []
  let resumed = 0
  let resume: string | undefined
  for (let isDone = false; !isDone && resumed < 50; ) {
    const rows = readLogs(client, { ...options, from: resume ?? options.from })
    try {
      for await (const row of rows) read.push(row)
      isDone = true
    } catch (error) {
      // Faults may affect all 5 attempts of a request, and then the read fails. Another error that persists after a resume is real.
      const isPassing = error instanceof ApiError || error instanceof TransportError
      if (!isPassing && rows.resume === resume) return { read, wrong: [String(error)], resumed }
      resume = rows.resume
      resumed++
      // A resumed read returns the millisecond of the token again.
      const at = Date.parse(resume)
      while (Date.parse(read.at(-1)?.timestamp ?? '') >= at) read.pop()
    }
  }
  return { read, wrong, resumed }
}

/** Compares the rows of a read with the rows that it must have (`least`) and the rows that it may have (`most`). */
function faultsOf(read: readonly LogRow[], least: Map<string, number>, most: Map<string, number>): string[] {
  const given = count(read.map((row) => keyOf(row, Date.parse(row.timestamp))))
  const times = read.map(({ timestamp }) => Date.parse(timestamp))
  return [
    ...[...least].filter(([key, number]) => (given.get(key) ?? 0) < number).map(([key]) => `lost: ${key}`),
    ...[...given].filter(([key, number]) => number > (most.get(key) ?? 0)).map(([key]) => `too often: ${key}`),
    ...(times.some((time, index) => time < (times[index - 1] ?? time)) ? ['out of order'] : []),
  ]
}

interface Plan {
  readonly from: number
  readonly span: number
  readonly amount: number
  readonly pageSize: number
  readonly start: number
}

function makeRows(random: () => number, { from, span, amount, pageSize, start }: Plan): StoredLogRow[] {
  const rows: StoredLogRow[] = []
  const base = { pullZoneId: zoneId, cacheStatus: 'HIT', statusCode: 200, remoteIp: '192.0.2.1', ja4Fingerprint: null }
  const rest = { asn: 64500, asnOrganization: null, edgeLocation: 'DE', scheme: 'https', host: 'a.example' }
  const last = { bodyBytesSent: 1, contentRange: null, authorizationHeader: null, originShield: false }
  const crowd = Math.floor(random() * span)
  for (let n = 0; n < amount; n++) {
    const isCrowded = n < pageSize * 2.2 && n < amount / 3
    const at = isCrowded ? crowd : Math.floor(random() * span)
    const fraction = Math.floor(random() * 1000) / 1000
    const isLate = random() < 0.15
    const row: StoredLogRow = {
      ...base,
      ...rest,
      ...last,
      timestamp: from + at + fraction,
      visibleFrom: isLate ? start + Math.floor(random() * 30_000) : undefined,
      requestId: [null, 'a'.repeat(32), n.toString(16).padStart(32, '0')][Math.floor(random() * 3)] ?? null,
      bytesSent: n,
      countryCode: ['DE', 'FR', null][Math.floor(random() * 3)] ?? null,
      userAgent: random() < 0.5 ? null : 'agent',
      referer: null,
      path: `/${n}${random() < 0.3 ? '/needle' : ''}`,
    }
    rows.push(row)
  }
  // Equal rows can be counted only if one page has all rows of their millisecond and of the two milliseconds on each side.
  const near = count(rows.flatMap(({ timestamp }) => [-2, -1, 0, 1, 2].map((by) => String(Math.floor(timestamp) + by))))
  const twins = rows.filter(
    (row) => (near.get(String(Math.floor(row.timestamp))) ?? 0) < pageSize / 2 && random() < 0.05,
  )
  return [...rows, ...twins]
}

const compared = [
  'requestId',
  'statusCode',
  'bytesSent',
  'countryCode',
  'userAgent',
  'referer',
  'path',
  'host',
] as const

/** Returns the compared fields of a row as text. The cache status is not compared, because a fault changes it. */
function keyOf(row: StoredLogRow | LogRow, ms: number): string {
  return JSON.stringify([ms, ...compared.map((name) => row[name] ?? null)])
}

function count(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

if (import.meta.main) {
  const total = { rows: 0, requests: 0, resumed: 0, wrong: 0 }
  const [seeds = 1000, begin = 1] = process.argv.slice(2).map(Number)
  for (let seed = begin; seed < begin + seeds; seed++) {
    const { rows, requests, resumed, wrong } = await play(seed)
    if (wrong.length > 0) console.log(`seed ${seed}: ${wrong.length} wrong, for example ${wrong[0]}`)
    total.rows += rows
    total.requests += requests
    total.resumed += resumed
    if (wrong.length > 0) total.wrong++
  }
  console.log(`${seeds} seeds: ${JSON.stringify(total)}`)
}
