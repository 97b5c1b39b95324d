import {
  ApiError,
  createLoggingClient,
  type LoggingClient,
  type LoggingClientOptions,
  type ReaderOptions as LogReaderOptions,
  TransportError,
  unwrap,
  withRetry,
  withTimeout,
} from '@cdn/api'
import { type Collector, createRowReader, queryPath } from '@cdn/api/logs'
import { type ClockListener, createServerClock } from '@cdn/kit/server-clock'
import { toError } from '../errors.ts'
import type { EncodedRows } from '../rows/encoder.ts'
import { isoTime, type Window } from '../segments/segment.ts'
import { createRestartLimiter, type RestartLimiterOptions } from './restart-limiter.ts'

/** Source of a zone's rows. Requests wait for the zone's limiter, and are retried. Times are in ms since 1970. */
export type WindowReader = ReturnType<typeof createApiReader>

export interface ApiReaderOptions {
  /** Base URL, credential, wrappers and fetch. The reader adds its own limiter. */
  readonly clients: LoggingClientOptions
  /** Whether version 2 also shows requests from the edge to the origin shield (supplement); false by default. */
  readonly includeOriginShield?: boolean | undefined
  /** A monotonic clock in ms since 1970; by default the clock of the runtime. */
  readonly now?: (() => number) | undefined
  /** The clock that is compared with the platform's; by default `now`. Tests change this clock. */
  readonly machineTime?: (() => number) | undefined
  readonly sleep?: RestartLimiterOptions['sleep']
  /** Called when the estimate of the platform's clock changes by more than a minute. */
  readonly onClock?: ClockListener | undefined
  readonly onRest?: RestartLimiterOptions['onRest']
  readonly onRetry?: LogReaderOptions['onRetry']
}

/** Maximum time without a byte of a response, in ms. After it, the reader requests less. */
const underWayMs = 60_000
/** Maximum number of requests to confirm the clock. More than two are needed only if responses contradict each other. */
const maxConfirmations = 4
/** Maximum number of pages in memory, over all zones. Three are enough for one zone at its rate limit. */
const pages = 3
/** Number of rows of a zone's first page, whose rows may be long. If they are short, this costs one more request. */
const firstRows = 2000

/**
 * Creates a reader of version 2 of the logging interface.
 *
 * @throws TypeError for invalid client options
 */
export function createApiReader({
  clients,
  includeOriginShield = false,
  now = monotonic,
  machineTime = now,
  sleep,
  onClock,
  onRest,
  onRetry,
}: ApiReaderOptions) {
  const clock = createServerClock(machineTime, { onOff: onClock })
  const fetch = clock.watch<[request: Request, init?: RequestInit]>(clients.fetch ?? globalThis.fetch)
  const filters = includeOriginShield ? { includeOriginShield } : {}
  const limiter = createRestartLimiter({ now, sleep, onRest })
  const rows = createRowReader(createLoggingClient({ ...clients, fetch, limiter }), { pages, firstRows })
  const wrap = [...(clients.wrap ?? []), withTimeout(underWayMs), withRetry({ attempts: 2, sleep })]
  /** Client for single requests, which are retried only once, and within the time-out. */
  const prober = createLoggingClient({ ...clients, fetch, limiter, wrap })

  let isAccepted = false

  /** Sends one small request. @throws ApiError, TransportError, or the signal's reason */
  async function ask(zone: string, signal: AbortSignal): Promise<void> {
    const params = { path: { pullZoneId: BigInt(zone) }, query: { ...minuteBefore(machineTime()), limit: 1 } }
    await unwrap(prober.GET(queryPath, { params, signal }))
    isAccepted = true
  }
  /** Sends requests until the clock is confirmed. The content of the responses does not matter, only their time. */
  async function confirm(zone: string, signal: AbortSignal): Promise<void> {
    let failure: unknown
    for (let attempt = 0; attempt < maxConfirmations && !clock.isFresh(); attempt++) {
      failure = await ask(zone, signal).catch(toError)
      signal.throwIfAborted()
      if (failure instanceof TransportError) break // another request would get no response either
    }
    if (clock.isFresh()) return
    throw (
      failure ??
      new Error("The platform's responses disagree about its time (Date header), so the exporter cannot plan reads.")
    )
  }
  let confirming: Promise<void> | undefined

  return {
    /** The platform's clock, from the `Date` of its responses. Until `synchronize` resolves, the machine's clock. */
    now: clock.now,
    /** The latest time shown by the platform; -Infinity before the first response. The ledger must not record later times. */
    shownTime: clock.shown,
    ask,
    /** Whether the platform has answered one of the small requests with a success since the start. */
    isAccepted: () => isAccepted,
    /**
     * Ensures that a response of the last 15 minutes confirms the platform's clock. If none does, sends a request. Sends another request
     * if the response contradicts the known time.
     *
     * @param zone the pull zone of the request
     * @throws Error if the platform does not answer, or its responses show no time or contradict each other
     */
    async synchronize(zone: string, signal: AbortSignal): Promise<void> {
      if (clock.isFresh()) return
      confirming ??= confirm(zone, signal).finally(() => {
        confirming = undefined
      })
      await confirming
    },
    /**
     * Checks whether the platform accepts the credential. Sends one request per call, until the platform has accepted a request. So a
     * zone without work shows a refused credential, too.
     *
     * @throws ApiError if the platform refuses the request. Other failures show nothing about the credential
     */
    async requireAccess(zone: string, signal: AbortSignal): Promise<void> {
      if (isAccepted) return
      const failure = await ask(zone, signal).catch(toError)
      signal.throwIfAborted()
      if (failure instanceof ApiError && [401, 403, 404].includes(failure.status)) throw failure
    },
    /**
     * Reads `[from, to)` of v2 by time, with a margin of 1 ms on both sides.
     *
     * @param collect creates a collector for each page
     * @throws ApiError (400 at the edge of the retention), TransportError, IncompleteLogsError
     */
    readRange(window: Window, collect: () => Collector<EncodedRows>, signal: AbortSignal) {
      const { zone, from, to } = window
      const query = { ...filters, pullZoneId: BigInt(zone), from, to }
      return rows.read({ ...query, idleTimeout: underWayMs, signal, onRetry, retry: { sleep } }, collect)
    },
    /**
     * Checks with one request whether a window has exactly `rows` rows: `offset = rows - 1, limit = 2` must return one row. For 0
     * rows, `offset = 0, limit = 1` must return none, and a page with `null` counts only after a second response confirms it.
     *
     * @returns false also after a timeout, a connection error or 5xx
     * @throws ApiError for any other status; TransportError for a redirect; or the signal's reason
     */
    async hasRows(window: Window, rows: number, signal: AbortSignal): Promise<boolean> {
      const ask = () => probe(prober, window, { rows, filters, signal })
      const first = await ask()
      return (first === 'null' ? await ask() : first) !== 'differs'
    },
  }
}

async function probe(
  prober: LoggingClient,
  { zone, from, to }: Window,
  { rows, filters, signal }: { rows: number; filters: { includeOriginShield?: boolean }; signal: AbortSignal },
) {
  const offset = Math.max(rows - 1, 0)
  const expected = Math.min(rows, 1)
  const range = { from: isoTime(from), to: isoTime(to) }
  const query = { ...filters, ...range, offset, limit: expected + 1, order: 'asc' as const }
  const params = { path: { pullZoneId: BigInt(zone) }, query }
  const page = await unwrap(prober.GET(queryPath, { params, signal })).catch(toError)
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

/** The minute before a time, in ms since 1970. Without `to`, the range would differ in each request. */
function minuteBefore(time: number): { readonly from: string; readonly to: string } {
  const to = Math.floor(time / 1000) * 1000
  return { from: isoTime(to - 60_000), to: isoTime(to) }
}

function monotonic(): number {
  return performance.timeOrigin + performance.now()
}
