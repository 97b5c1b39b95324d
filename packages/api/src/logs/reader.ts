import type { Sleep } from '@cdn/kit/wait'
import type { LoggingClient } from '../client.ts'
import { ApiError } from '../errors/api-error.ts'
import type { RetryReason } from '../fetch/call.ts'
import { type AttemptOutcome, repeat } from '../fetch/with-retry.ts'
import { parseTimestamp } from './page.ts'

/** Options of both readers, in addition to their queries. */
export interface ReaderOptions {
  readonly signal?: AbortSignal | undefined
  /** Maximum time without incoming data, in milliseconds; 60 s by default. */
  readonly idleMs?: number | undefined
  /** Called when a failed request will be repeated after a pause. */
  readonly onRetry?: ((reason: RetryReason) => void) | undefined
  /** Waits between attempts; for tests. */
  readonly sleep?: Sleep | undefined
}

/** The client of a reader, with its options for time-outs and retries. */
export interface LogSource extends ReaderOptions {
  readonly client: LoggingClient
}

interface ReaderRequest<Value> {
  send(init: {
    readonly parseAs: 'stream'
    readonly retry: false
    readonly timeout: false
    readonly idleTimeout: number
    readonly signal?: AbortSignal
  }): Promise<{
    readonly error?: unknown
    readonly response: Response
  }>
  /** Uses a success. The idle limit applies to its body, while it is read. */
  read(response: Response): Promise<Value> | Value
  /** Whether a repetition may help. @param attempt number of the failed attempt, from 1 */
  mayHelp(outcome: AttemptOutcome<Value>, attempt: number): boolean
}

/**
 * Sends a request of a reader, with up to 5 attempts. Each attempt has its own idle limit, so that pauses between attempts do not count.
 *
 * @throws the error of the last attempt, or the signal's reason
 */
export async function sendForReader<Value>(
  { signal, idleMs: idleTimeout = 60_000, onRetry, sleep }: LogSource,
  { send, read, mayHelp }: ReaderRequest<Value>,
): Promise<Value> {
  const options = { parseAs: 'stream', retry: false, timeout: false, idleTimeout, ...(signal && { signal }) } as const
  async function attempt(): Promise<AttemptOutcome<Value>> {
    let body: ReadableStream | null = null
    try {
      const { error, response } = await send(options)
      body = response.body
      if (response.ok) return { value: await read(response) }
      return { error: new ApiError(response, error), response }
    } catch (error) {
      if (body && !body.locked) await body.cancel()
      return { error }
    }
  }
  try {
    return await repeat({ signal, sleep, onRetry, attempt, mayHelp })
  } finally {
    signal?.throwIfAborted()
  }
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
