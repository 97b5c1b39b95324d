import {
  type CallError,
  createLimiter,
  createLoggingClient,
  type Limiter,
  type LoggingClient,
  type LoggingClientOptions,
  rateLimit,
  retry,
  timeout,
} from '@cdn/api'
import { type Budget, type Cut, queryPath, readBatches, readLogFileBatches } from '@cdn/api/batches'
import type { Reader } from './reader.ts'
import { createServerClock } from './server-clock.ts'

/** What a reader is made of. */
export interface ReaderOptions {
  /** Base URL, credential, middlewares (hooks), fetch; the limiter is the reader's own. */
  readonly clients: LoggingClientOptions
  /** One for all zones. */
  readonly budget: Budget
  /** Finds the rows of a page of version 2, with the marks that the encoder of the same privacy goes by. */
  readonly cut: Cut
  /** Milliseconds since 1970 by a clock that is never set back; the runtime's own where absent. */
  readonly now?: (() => number) | undefined
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined
}

/** The longest in which nothing of an answer may arrive, in ms; then less is asked for. */
const underWayMs = 60_000
/** Every class of status: without the filter version 1 leaves out 1xx (supplement). */
const allStatuses = '1,2,3,4,5'

/** A zone's own client, with its limiter: begun anew when the zone is taken over. */
interface Zone {
  readonly id: bigint
  readonly limiter: Limiter
  readonly client: LoggingClient
}

/**
 * Makes the reader of both versions of the logging interface.
 *
 * @throws TypeError when the client's options cannot be used
 */
export function createReader({ clients, budget, cut, now = monotonic, sleep }: ReaderOptions): Reader {
  const clock = createServerClock(now)
  const fetch = watched(clients.fetch ?? globalThis.fetch, now, clock.note)
  const zones = new Map<string, Zone>()

  const begin = (zone: string, until: number | undefined): Zone => {
    // Nothing counts for longer, whatever is recorded: the machine's clock may have been set back since.
    const quiet = Math.min(until ?? 0, now() + rateLimit.windowMs + underWayMs)
    const limiter = createLimiter({ predecessor: () => quiet, underWayMs, now, ...(sleep && { sleep }) })
    const begun = { id: BigInt(zone), limiter, client: createLoggingClient({ ...clients, fetch, limiter }) }
    zones.set(zone, begun)
    return begun
  }
  const zoneOf = (zone: string) => zones.get(zone) ?? begin(zone, undefined)

  return {
    now: clock.now,
    busyUntil: (zone) => zoneOf(zone).limiter.busyUntil(BigInt(zone)),
    takeOver(zone, busyUntil) {
      const own = zones.get(zone)?.limiter.busyUntil(BigInt(zone))
      begin(zone, own === undefined ? busyUntil : Math.max(own, busyUntil ?? 0))
    },
    walk(zone, from, to, signal) {
      const { id, client } = zoneOf(zone)
      return readBatches(client, { pullZoneId: id, from, to, budget, cut, signal, idleMs: underWayMs, sleep })
    },
    dayFile(zone, day, signal) {
      const { id, client } = zoneOf(zone)
      return readLogFileBatches(client, { pullZoneId: id, date: day, status: allStatuses, signal, sleep })
    },
    async hasRows(zone, from, to, rows, signal) {
      const ask = () => probe(zoneOf(zone), { from, to, rows, sleep }, signal)
      const first = await ask()
      // Nothing, said with `null`, is believed only when it is said twice (§6 of the design).
      return (first === 'null' ? await ask() : first) !== 'differs'
    },
  }
}

interface Probe {
  readonly from: number
  readonly to: number
  readonly rows: number
  readonly sleep: ReaderOptions['sleep']
}

async function probe({ id, client }: Zone, { from, to, rows, sleep }: Probe, signal: AbortSignal) {
  const offset = Math.max(rows - 1, 0)
  const expected = Math.min(rows, 1)
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const { data, error } = await client.GET(queryPath, {
    params: { path: { pullZoneId: id }, query: { ...range, offset, limit: expected + 1, order: 'asc' } },
    signal,
    use: [retry({ attempts: 2, sleep }), timeout(underWayMs)],
  })
  signal.throwIfAborted()
  // Deep offsets and wide ranges time out: then the rows are read again by time, which finds out.
  if (error && mayDifferByTime(error)) return 'differs'
  if (error) throw error
  const { pagination, query } = data
  const isSame =
    Date.parse(query.from) === from &&
    Date.parse(query.to) === to &&
    Number(pagination.offset) === offset &&
    pagination.returned === expected &&
    (data.data ?? []).length === expected &&
    !pagination.hasMore
  if (!isSame) return 'differs'
  return data.data === null ? 'null' : 'same'
}

function mayDifferByTime(error: CallError): boolean {
  return error.status === undefined || error.status < 300 || error.status === 408 || error.status >= 500
}

/** Tells the clock of every answer. */
function watched(
  fetch: typeof globalThis.fetch,
  now: () => number,
  note: (...answer: [string | null, number, number]) => void,
) {
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const asked = now()
    const response = await fetch(input, init)
    note(response.headers.get('Date'), asked, now())
    return response
  }
}

function monotonic(): number {
  return performance.timeOrigin + performance.now()
}
