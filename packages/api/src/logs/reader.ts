import { type ClientLimits, type LoggingClient, limitsOf } from '../client.ts'
import { ApiError } from '../errors/api-error.ts'
import { discard } from '../fetch/body.ts'
import type { RetryReason } from '../fetch/call.ts'
import { type AttemptOutcome, repeat } from '../fetch/with-retry.ts'
import type { CallOptions } from '../options.ts'
import { parseTimestamp } from './page.ts'

/** Options of both readers, in addition to their queries. `retry`, `timeout` and `idleTimeout` replace those of the client. */
export interface ReaderOptions extends CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Called when a failed request will be repeated after a pause. */
  readonly onRetry?: ((reason: RetryReason) => void) | undefined
}

export const readerOptions = ['signal', 'onRetry', 'retry', 'timeout', 'idleTimeout']

/** The client of a reader, and the limits of its calls. */
export interface LogSource extends Pick<ReaderOptions, 'signal' | 'onRetry'>, ClientLimits {
  readonly client: LoggingClient
}

/** Separates the options of a reader from the rest of its query. Limits that the query omits are those of the client. */
export function splitQuery<Query extends ReaderOptions>(client: LoggingClient, query: Query) {
  const { clock, ...own } = limitsOf(client)
  const { signal, onRetry, retry = own.retry, timeout = own.timeout, idleTimeout = own.idleTimeout, ...rest } = query
  const source: LogSource = { client, clock, signal, onRetry, retry, timeout, idleTimeout }
  return { source, rest }
}

interface ReaderRequest<Value> {
  send(init: CallOptions & { readonly parseAs: 'stream'; readonly signal?: AbortSignal }): Promise<{
    readonly error?: unknown
    readonly response: Response
  }>
  /** Reads a successful response. The idle limit applies while its body is read. */
  read(response: Response): Promise<Value> | Value
  /** Whether a repetition may help. @param attempt number of the failed attempt, from 1 */
  mayHelp(outcome: AttemptOutcome<Value>, attempt: number): boolean
}

/**
 * Sends a request of a reader as its client would: with the client's attempts, pauses, time limits and clock. An attempt also fails if
 * its body cannot be read to the end. The client alone could not repeat it then. Each attempt has its own limits, so that pauses
 * between attempts do not count. `timeout` also limits the time without data, unless there is an `idleTimeout`.
 *
 * @throws the error of the last attempt, or the signal's reason
 */
export async function sendForReader<Value>(source: LogSource, request: ReaderRequest<Value>): Promise<Value> {
  const { signal, onRetry, retry, timeout, idleTimeout, clock } = source
  const limits = { retry: false, timeout, idleTimeout: idleTimeout || timeout } as const
  async function attempt(): Promise<AttemptOutcome<Value>> {
    let received: Response | undefined
    try {
      const { error, response } = await request.send({ ...limits, parseAs: 'stream', ...(signal && { signal }) })
      received = response
      if (response.ok) return { value: await request.read(response) }
      return { error: new ApiError(response, error), response }
    } catch (error) {
      discard(received)
      return { error }
    }
  }
  const options = retry ? { sleep: clock.sleep, ...retry } : { attempts: 1 }
  try {
    return await repeat({ ...options, signal, onRetry, attempt, mayHelp: request.mayHelp })
  } catch (error) {
    signal?.throwIfAborted() // a value is returned in spite of the signal, because it may hold a slot
    throw error
  }
}

/** Whether a reader may send further requests after a failure. */
export function mayRepeat({ retry }: LogSource): boolean {
  return retry !== false && (retry.attempts ?? 2) > 1
}

/** A point in time: a Date, milliseconds since 1970, or ISO 8601 with a time zone. A date without a time means midnight UTC. */
export type Instant = Date | number | string

/**
 * Converts a point in time that the caller passed.
 *
 * @param name name of the option, for the error message
 * @returns whole milliseconds since 1970
 * @throws RangeError if it is invalid, or not whole milliseconds
 */
export function toMs(name: string, instant: Instant): number {
  const ms = typeof instant === 'string' ? parseTimestamp(instant) : Number(instant)
  if (Number.isInteger(ms) && Math.abs(ms) <= 8.64e15) return ms
  throw new RangeError(`${name} must be a Date, whole milliseconds since 1970, or ISO 8601 with a time zone`)
}
