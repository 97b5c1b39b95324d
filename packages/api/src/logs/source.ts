import { createLoggingClient, type LoggingClient, type LoggingClientOptions } from '../logging.ts'
import type { Sleep } from '../sleep.ts'

/** What both readers take beside their query. */
export interface ReaderOptions {
  readonly signal?: AbortSignal | undefined
  /** The longest time in which nothing of an answer may arrive, in milliseconds; 60 s where absent. */
  readonly idleMs?: number | undefined
  /** Waits between attempts; for tests. */
  readonly sleep?: Sleep | undefined
}

/** Where a reader reads from, and how it waits. */
export interface Source {
  readonly client: LoggingClient
  readonly idleMs: number
  readonly sleep: Sleep | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Settles what a reader reads from.
 *
 * @param from a client, or the options of one
 * @throws TypeError when the options cannot be used
 */
export function sourceOf(
  from: LoggingClient | LoggingClientOptions,
  { idleMs = 60_000, sleep, signal }: ReaderOptions,
): Source {
  return { client: 'GET' in from ? from : createLoggingClient(from), idleMs, sleep, signal }
}
