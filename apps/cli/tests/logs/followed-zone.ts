import { createLimiter, createLoggingClient, readLogs } from '@cdn/api'
import { createEmulator, type Emulator, type FaultChoice, type LogRow, type Variants } from '@cdn/emulator'
import { createSeen } from '../../src/logs/tail/seen.ts'
import type { createMemory, TailEvent, tail } from '../../src/logs/tail/tail.ts'

/** What is tested. */
export interface TailModule {
  readonly tail: typeof tail
  readonly createMemory: typeof createMemory
}

/** What may differ between platforms, and troubles all the same. */
export interface Story {
  readonly seed: number
  readonly variants?: Partial<Variants>
  readonly rowsPerSecond?: number
  readonly minutes: number
  readonly latenessMs: number
  /** How late the platform's rows are at most; less than `latenessMs` where the tail is to have all of them. */
  readonly maxLatenessMs: number
  readonly mostRows?: number
  /** The tail ends here, and another one goes on from its token; in minutes. */
  readonly restartAt?: number
  /** How late the last of three rows comes that are alike; 45 s where absent. */
  readonly twinsLateMs?: number
}

export interface Outcome {
  /** Rows that were shown, and those that should have been, as texts in one order. */
  readonly shown: string[]
  readonly expected: string[]
  readonly events: TailEvent[]
  readonly emulator: Emulator
}

const zoneId = '10001'
const troubles: readonly FaultChoice[] = [
  'rate-limited',
  { name: 'rate-limited', retryAfter: 3 },
  'reset-before',
  'reset-after',
  'cut-body',
  'bad-gateway',
  'internal-error',
  'empty-body',
  'no-json',
  { name: 'latency', ms: 4000 },
]

/**
 * Follows a zone with late rows, ties, rows that are alike in every field, and troubles of every kind, in the emulator's
 * virtual time: single requests fail, and for two minutes all of them.
 *
 * @param tested the module of the tail
 */
export async function followZone(tested: TailModule, story: Story): Promise<Outcome> {
  const { seed, minutes, rowsPerSecond = 1.5, latenessMs, maxLatenessMs, mostRows, restartAt } = story
  const emulator = await createEmulator({
    seed,
    variants: { storedPrecision: 'microsecond', shownPrecision: 'rounded', ...story.variants },
    traffic: { zones: 1, rowsPerSecond, lateShare: 0.1, maxLatenessMs, tieShare: 0.3, hostileShare: 0.2 },
  })
  const { clock, faults, state, fixtures } = emulator
  const zone = state.zones.get(zoneId)
  if (zone) Object.assign(zone, { addresses: 'whole', extendedLogging: true })
  const start = clock.now().getTime()
  const end = start + minutes * 60_000
  addTwins(emulator, start, end, story.twinsLateMs ?? 45_000)
  faults.schedule({ by: 'chance', share: 0.12, seed, faults: troubles })
  const outage = { fault: 'reset-before', at: 3 * 60_000, for: 2 * 60_000 } as const
  faults.schedule({ by: 'clock', steps: [outage, { fault: 'rate-limited', at: 6 * 60_000, for: 40_000 }] })

  const now = () => clock.now().getTime()
  const sleep = (ms: number, signal = new AbortController().signal) => clock.waitUntil(now() + ms, signal)
  const client = createLoggingClient({
    baseUrl: emulator.loggingUrl,
    fetch: emulator.fetch,
    accessKey: fixtures.credentials.accessKey,
    limiter: createLimiter({ now, sleep }),
  })
  const source = {
    read: (from: number, to: number) => readLogs(client, { pullZoneId: 10001, from, to, sleep }),
    now,
    sleep,
  }
  const shown: string[] = []
  const events: TailEvent[] = []
  // Long enough for the latest rows to come, and for a look far back after an unlucky streak.
  const last = end + latenessMs + 120_000
  const parts = restartAt === undefined ? [last] : [start + restartAt * 60_000, last]
  let memory = tested.createMemory(start)
  for (const until of parts) {
    const plan = { until, latenessMs, intervalMs: 2000, retentionMs: 3 * 86_400_000, ...(mostRows && { mostRows }) }
    for await (const event of tested.tail(source, plan, memory)) {
      if (event.kind !== 'row') events.push(event)
      else if (Date.parse(event.row.timestamp) < end) shown.push(textOf(event.row))
      if (now() >= until) break // also in the middle of a look, as Ctrl-C does
    }
    if (until === last) break
    clock.advance(90_000)
    memory = tested.createMemory(memory.settled, createSeen(JSON.parse(JSON.stringify(memory.seen.save()))))
  }
  const expected = rowsBetween(emulator, start, end)
  return { shown: shown.sort(), expected: expected.sort(), events, emulator }
}

/** Rows that differ in nothing at all, some of them visible later than the others: only their number tells. */
function addTwins({ state }: Emulator, start: number, end: number, lateMs: number): void {
  const [model] = state.logs.rows(zoneId, start - 600_000, start)
  if (!model) throw new Error('The zone has no rows to copy')
  const rows: LogRow[] = []
  for (let timestamp = start + 20_000; timestamp < end; timestamp += 97_000) {
    const twin = { ...model, timestamp, originShield: false }
    rows.push(
      { ...twin, visibleFrom: timestamp },
      { ...twin, visibleFrom: timestamp },
      { ...twin, visibleFrom: timestamp + lateMs },
    )
  }
  state.logs.append(rows)
}

/** The store as the platform shows it, made here from its rows alone. */
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
