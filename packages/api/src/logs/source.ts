import type { LoggingClient } from '../client.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { RetryReason } from '../fetch/request-facts.ts'
import type { Sleep } from '../fetch/sleep.ts'
import { startTimeLimit, type TimeLimit } from '../fetch/with-timeout.ts'

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

/** The client of a reader, and its waiting behavior. */
export interface LogSource extends Omit<ReaderOptions, 'idleMs'> {
  readonly client: LoggingClient
  readonly idleMs: number
}

/** @returns the client and options of a reader, with defaults */
export function logSource(
  client: LoggingClient,
  { idleMs = 60_000, sleep, signal, onRetry }: ReaderOptions,
): LogSource {
  return { client, idleMs, sleep, signal, onRetry }
}

/** Starts the time limit of one request of a reader. */
export function startIdleLimit({ idleMs, signal }: LogSource, operation: string): TimeLimit {
  const toReason = () => new TransportError({ operation }, 'timeout', `got nothing for ${idleMs} ms`)
  return startTimeLimit({ ms: idleMs, isIdle: true, outer: signal, toReason })
}
