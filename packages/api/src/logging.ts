import type { Calls } from './calls.ts'
import { type ClientOptions, createCalls } from './client.ts'
import { LoggingError } from './errors/logging-error.ts'
import { publicUrl } from './gen/logging.server.ts'
import type { paths } from './gen/logging.ts'

/** Typed calls of the logging interface. */
export type LoggingClient = Calls<paths, LoggingError>

/**
 * Makes a client of the logging interface (§1). For whole ranges and files see `readLogs` and `readLogFile`, which page,
 * retry and obey the rate limit; a bare call does none of it. Version 1 is text: ask for it with `parseAs`.
 *
 * @param options base URL (the public platform's where absent), at most one credential (§5), a fetch of your own
 * @returns the calls; each gives `{ data, error, response }` and rejects only for parameters that cannot be sent
 * @throws TypeError when the base URL or the credentials cannot be used
 */
export function createLoggingClient(options: ClientOptions = {}): LoggingClient {
  return createCalls({ ...options, baseUrl: options.baseUrl ?? publicUrl }, (refusal) => new LoggingError(refusal))
}
