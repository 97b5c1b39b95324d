import { createLimiter, createLoggingClient, readLogs } from '@cdn/api'
import {
  createEmulator,
  type Emulator,
  type FaultChoice,
  type FaultName,
  type StoredLogRow as LogRow,
  type Variants,
} from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs } from '@cdn/kit/time'
import { type TailEvent, type TailSource, tail } from '../../src/logs/tail/tail.ts'

/** The behavior of the platform in one run, with its faults. */
export interface Story {
  readonly seed: number
  readonly variants?: Partial<Variants>
  readonly minutes: number
  readonly latenessMs: number
  /** Maximum delay of the platform's rows. Must be below `latenessMs` if the tail is expected to print all rows. */
  readonly maxLatenessMs: number
}

export interface FollowedRows {
  /** The printed and the expected rows, as texts in the same order. */
  readonly shown: string[]
  readonly expected: string[]
  readonly events: TailEvent[]
  readonly emulator: Emulator
}

const zoneId = '10001'
const sharedFaults: readonly Extract<FaultChoice, { readonly name: FaultName }>[] = [
  { name: 'rate-limited' },
  { name: 'rate-limited', retryAfter: 3 },
  { name: 'reset-before' },
  { name: 'reset-after' },
  { name: 'cut-body' },
  { name: 'bad-gateway' },
  { name: 'internal-error' },
  { name: 'empty-body' },
  { name: 'no-json' },
  { name: 'latency', ms: 4000 },
]

/**
 * Follows a zone in the emulator's virtual time. The zone has late rows, ties and equal rows. About 11 % of the requests get a fault of
 * `sharedFaults`. In addition, all connections are reset for two minutes, and later all requests get a 429 for 36 s.
 */
export async function followZone(story: Story): Promise<FollowedRows> {
  const { seed, minutes, latenessMs, maxLatenessMs } = story
  const emulator = await createEmulator({
    seed,
    variants: { storedPrecision: 'microsecond', shownPrecision: 'rounded', ...story.variants },
    traffic: { zones: 1, rowsPerSecond: 1.5, lateShare: 0.1, maxLatenessMs, tieShare: 0.3, hostileShare: 0.2 },
  })
  const { clock, faults, state, fixtures } = emulator
  Object.assign(assertDefined(state.zones.get(zoneId)), { addresses: 'whole', extendedLogging: true })
  const start = clock.now().getTime()
  const end = start + minutes * 60_000
  addTwins(emulator, start, end)
  for (const fault of sharedFaults) faults.add({ ...fault, share: 0.12 / sharedFaults.length })
  const isWithin = (from: number, to: number) => {
    const minutes = (clock.now().getTime() - start) / 60_000
    return minutes >= from && minutes < to
  }
  faults.add({
    name: 'outage',
    text: 'For two minutes no request is answered, and later each gets a 429 for 36 s.',
    around: async (call, operation, next) => {
      if (isWithin(3, 5)) return { status: 0, headers: {}, body: null, transport: { lost: 'reset' } }
      if (isWithin(6, 6.6)) return { status: 429, headers: {}, body: null }
      return next(call, operation)
    },
  })

  const now = () => clock.now().getTime()
  const sleep = (ms: number, signal = new AbortController().signal) => clock.waitUntil(now() + ms, signal)
  const client = createLoggingClient({
    baseUrl: emulator.loggingUrl,
    fetch: emulator.fetch,
    accessKey: fixtures.credentials.accessKey,
    limiter: createLimiter({ now, sleep }),
  })
  const events: TailEvent[] = []
  const source: TailSource = {
    read: (from: number, to: number) => readLogs(client, { pullZoneId: 10001, from, to, retry: { sleep } }),
    now,
    sleep,
    report: async (event) => void events.push(event),
  }
  const shown: string[] = []
  // Long enough for the latest rows to arrive, and for a wide read to follow after several failures.
  const last = end + latenessMs + 120_000
  const plan = {
    from: start,
    until: last,
    latenessMs,
    intervalMs: 5000,
    retentionMs: 3 * dayMs,
  }
  for await (const row of tail(source, plan)) if (Date.parse(row.timestamp) < end) shown.push(textOf(row))
  const expected = rowsBetween(emulator, start, end)
  return { shown: shown.sort(), expected: expected.sort(), events, emulator }
}

/** Adds groups of equal rows. The last row of a group becomes visible later, so only the number of rows changes. */
function addTwins({ state }: Emulator, start: number, end: number): void {
  const [model] = state.logs.rows(zoneId, start - 600_000, start)
  if (!model) throw new Error('The zone has no rows to copy')
  const rows: LogRow[] = []
  for (let timestamp = start + 20_000; timestamp < end; timestamp += 97_000) {
    const twin = { ...model, timestamp, originShield: false }
    rows.push(
      { ...twin, visibleFrom: timestamp },
      { ...twin, visibleFrom: timestamp },
      { ...twin, visibleFrom: timestamp + 45_000 },
    )
  }
  state.logs.append(rows)
}

/** The store's rows as the platform shows them. Implemented separately from the emulator. */
function rowsBetween({ state }: Emulator, from: number, to: number): string[] {
  return state.logs
    .rows(zoneId, from - 1, to + 1)
    .filter((row) => !row.originShield)
    .map(({ visibleFrom: _, originShield: __, timestamp, ...row }) => ({ ...row, at: Math.round(timestamp) }))
    .filter(({ at }) => at >= from && at < to)
    .map(({ at, ...row }) =>
      textOf({ ...row, timestamp: new Date(at).toISOString(), url: `${row.scheme}://${row.host}${row.path}` }),
    )
}

function textOf(row: object): string {
  const fields = Object.entries(row).filter(([, value]) => value !== null && value !== undefined)
  const written = fields.map(([name, value]) => {
    if (name === 'timestamp') return [name, new Date(String(value)).getTime()]
    return [name, typeof value === 'string' ? value : String(value)]
  })
  return JSON.stringify(written.sort(([a], [b]) => String(a).localeCompare(String(b))))
}
