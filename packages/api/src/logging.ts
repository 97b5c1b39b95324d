import type { Calls } from './calls.ts'
import { type ClientOptions, createCalls } from './client.ts'
import { LoggingError } from './errors/logging-error.ts'
import { reads } from './gen/logging.effects.ts'
import { publicUrl } from './gen/logging.server.ts'
import type { codes, paths } from './gen/logging.ts'
import { limit } from './limit.ts'
import { createLimiter, type Limiter } from './limiter.ts'

/** Typed calls of the logging interface. */
export type LoggingClient = Calls<paths, LoggingError, codes>

/** Options of a client of the logging interface. */
export type LoggingClientOptions = ClientOptions & {
  /** Shared by all clients that call the same pull zones; the client's own where absent. */
  readonly limiter?: Limiter | undefined
}

/**
 * Makes a client of the logging interface (§1). Its calls keep the rate limit of each pull zone (§8). For whole ranges and
 * files see `readLogs` and `readLogFile`, which page and retry. Version 1 is text: ask for it with `parseAs`.
 *
 * @param options base URL (the public platform's where absent), at most one credential (§5), middlewares, a limiter, a
 *   fetch of your own
 * @returns the calls; each gives `{ data, error, response }` and rejects only for parameters that cannot be sent
 * @throws TypeError when the base URL or the credentials cannot be used
 */
export function createLoggingClient(options: LoggingClientOptions = {}): LoggingClient {
  const { limiter = createLimiter() } = options
  const toError = (failure: ConstructorParameters<typeof LoggingError>[0]) => new LoggingError(failure)
  return createCalls(options, { baseUrl: publicUrl, reads, toError, last: [limit(limiter)] })
}
