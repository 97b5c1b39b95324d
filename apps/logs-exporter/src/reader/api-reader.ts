import {
  ApiError,
  createLimiter,
  createLoggingClient,
  type Limiter,
  type LoggingClient,
  type LoggingClientOptions,
  type ReaderOptions as LogReaderOptions,
  rateLimit,
  TransportError,
  unwrap,
  withRetry,
  withTimeout,
} from '@cdn/api'
import { type PageBudget, queryPath, readBatches, readLogFileBatches } from '@cdn/api/batches'
import { toError } from '../errors.ts'
import type { Window } from '../segments/segment.ts'
import type { WindowReader } from './reader.ts'
import { type ClockListener, createServerClock } from './server-clock.ts'

/** Dependencies of a reader. */
export interface ApiReaderOptions {
  /** Base URL, credential, wrappers, fetch, and the maximum length of a page. The reader adds its own limiter. */
  readonly clients: LoggingClientOptions
  /** Shared by all zones. */
  readonly budget: PageBudget
  /** A monotonic clock in ms since 1970; by default the one of the runtime. */
  readonly now?: (() => number) | undefined
  /** The clock that is compared with the platform's; by default `now`. Tests change this clock. */
  readonly machineTime?: (() => number) | undefined
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined
  /** Called when a clock is off by more than a minute. */
  readonly onClock?: ClockListener | undefined
  /** Called for each repeated request. */
  readonly onRetry?: LogReaderOptions['onRetry']
}

/** Maximum time without a byte of a response, in ms. After it, the reader requests less. */
const underWayMs = 60_000
/** Maximum number of requests: one response, one that contradicts it, and two that decide. */
const maxConfirmations = 4
/** All status classes. Without this filter, version 1 omits 1xx (supplement). */
const allStatuses = '1,2,3,4,5'

/** The client of a zone, with its limiter. */
interface Zone {
  readonly id: bigint
  readonly limiter: Limiter
  readonly client: LoggingClient
  /** Client for single requests that are retried only once. */
  readonly prober: LoggingClient
}

/**
 * Creates a reader of both versions of the logging interface.
 *
 * @throws TypeError for invalid client options
 */
export function createApiReader({
  clients,
  budget,
  now = monotonic,
  machineTime = now,
  sleep,
  onClock,
  onRetry,
}: ApiReaderOptions): WindowReader {
  const clock = createServerClock(machineTime, onClock)
  const fetch = watched(clients.fetch ?? globalThis.fetch, machineTime, clock.note)
  const zones = new Map<string, Zone>()

  const begin = (zone: string, until: number | undefined): Zone => {
    // A later recorded time counts only up to this limit: the machine's clock may have been set back since.
    const quiet = Math.min(until ?? 0, now() + rateLimit.windowMs + underWayMs)
    const limiter = createLimiter({ predecessor: () => quiet, underWayMs, now, ...(sleep && { sleep }) })
    const wrap = [...(clients.wrap ?? []), withRetry({ attempts: 2, sleep }), withTimeout(underWayMs)]
    const begun = {
      id: BigInt(zone),
      limiter,
      client: createLoggingClient({ ...clients, fetch, limiter }),
      prober: createLoggingClient({ ...clients, fetch, limiter, wrap }),
    }
    zones.set(zone, begun)
    return begun
  }
  const zoneOf = (zone: string) => zones.get(zone) ?? begin(zone, undefined)

  /** Sends requests until the clock is confirmed. The content of the responses does not matter, only their time. */
  async function confirm(zone: string, signal: AbortSignal): Promise<void> {
    let failure: unknown
    for (let attempt = 0; attempt < maxConfirmations && !clock.isFresh(); attempt++) {
      const { id, prober } = zoneOf(zone)
      const params = { path: { pullZoneId: id }, query: { ...minuteBefore(machineTime()), limit: 1 } }
      failure = await unwrap(prober.GET(queryPath, { params, signal })).then(() => undefined, toError)
      signal.throwIfAborted()
    }
    if (clock.isFresh()) return
    throw (
      failure ??
      new Error("The platform's responses disagree about its time (Date header), so the exporter cannot plan reads.")
    )
  }
  /** The confirmation in progress. All zones that wait for it share it. */
  let confirming: Promise<void> | undefined

  return {
    now: clock.now,
    shownTime: clock.shown,
    async synchronize(zone, signal) {
      if (clock.isFresh()) return
      confirming ??= confirm(zone, signal).finally(() => {
        confirming = undefined
      })
      await confirming
    },
    busyUntil: (zone) => zoneOf(zone).limiter.busyUntil(BigInt(zone)),
    takeOver(zone, busyUntil) {
      if (!zones.has(zone)) begin(zone, busyUntil)
    },
    readRange(zone, from, to, signal) {
      const { id, client } = zoneOf(zone)
      const limits = { idleMs: underWayMs, maxPageBytes: clients.maxBodyBytes }
      return readBatches(client, { pullZoneId: id, from, to, budget, signal, ...limits, onRetry, sleep })
    },
    dayFile(zone, day, signal) {
      const { id, client } = zoneOf(zone)
      return readLogFileBatches(client, { pullZoneId: id, date: day, status: allStatuses, signal, onRetry, sleep })
    },
    async hasRows(window, rows, signal) {
      const ask = () => probe(zoneOf(window.zone), window, rows, signal)
      const first = await ask()
      // An empty page with `null` counts only after a second response confirms it.
      return (first === 'null' ? await ask() : first) !== 'differs'
    },
  }
}

async function probe({ id, prober }: Zone, { from, to }: Window, rows: number, signal: AbortSignal) {
  const offset = Math.max(rows - 1, 0)
  const expected = Math.min(rows, 1)
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const query = { ...range, offset, limit: expected + 1, order: 'asc' as const }
  const page = await unwrap(prober.GET(queryPath, { params: { path: { pullZoneId: id }, query }, signal })).catch(
    toError,
  )
  signal.throwIfAborted()
  if (page instanceof Error) {
    // Deep offsets and wide ranges time out. The exporter then reads the rows by time.
    if (mayDifferByTime(page)) return 'differs'
    throw page
  }
  const { pagination, query: echoed } = page
  const isSame =
    Date.parse(echoed.from) === from &&
    Date.parse(echoed.to) === to &&
    Number(pagination.offset) === offset &&
    pagination.returned === expected &&
    (page.data ?? []).length === expected &&
    !pagination.hasMore
  if (!isSame) return 'differs'
  return page.data === null ? 'null' : 'same'
}

function mayDifferByTime(error: Error): boolean {
  if (error instanceof TransportError) return error.kind !== 'redirect'
  return error instanceof ApiError && (error.status === 408 || error.status >= 500)
}

/**
 * A range of one minute that has both ends. An open `to` would move with each request.
 *
 * @param time in ms since 1970
 */
export function minuteBefore(time: number): { readonly from: string; readonly to: string } {
  const to = Math.floor(time / 1000) * 1000
  return { from: new Date(to - 60_000).toISOString(), to: new Date(to).toISOString() }
}

/** Passes the time of every response on to the clock. */
function watched(
  fetch: typeof globalThis.fetch,
  now: () => number,
  note: (...answer: [string | null, number, number]) => void,
) {
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const sentAt = now()
    const response = await fetch(input, init)
    note(response.headers.get('Date'), sentAt, now())
    return response
  }
}

function monotonic(): number {
  return performance.timeOrigin + performance.now()
}
