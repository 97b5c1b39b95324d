import type { ClientOptions } from '../client.ts'
import { createLimiter, type Limiter } from '../limiter.ts'
import { createLoggingClient, type LoggingClient } from '../logging.ts'
import { type Sleep, sleep } from '../sleep.ts'

/** What both readers take beside their query. */
export interface ReaderOptions {
  readonly signal?: AbortSignal | undefined
  /** Shared by all who read the same pull zones. Where absent, readers of one client share one. */
  readonly limiter?: Limiter | undefined
  /** Waits between attempts; for tests. */
  readonly sleep?: Sleep | undefined
}

/** Where a reader reads from, and how it waits. */
export interface Source {
  readonly client: LoggingClient
  readonly limiter: Limiter
  readonly sleep: Sleep
  readonly signal: AbortSignal | undefined
}

const limiters = new WeakMap<LoggingClient, Limiter>()

/**
 * Settles what a reader reads from.
 *
 * @param from a client, or the options of one
 * @throws TypeError when the options cannot be used
 */
export function sourceOf(from: LoggingClient | ClientOptions, options: ReaderOptions): Source {
  const client = 'GET' in from ? from : createLoggingClient(from)
  return {
    client,
    limiter: options.limiter ?? limiterOf(client),
    sleep: options.sleep ?? sleep,
    signal: options.signal,
  }
}

function limiterOf(client: LoggingClient): Limiter {
  const limiter = limiters.get(client) ?? createLimiter()
  limiters.set(client, limiter)
  return limiter
}
