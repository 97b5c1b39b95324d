import type { Client } from 'openapi-fetch'
import { type ClientOptions, createApiClient } from './client.ts'
import { createLimiter, type Limiter } from './fetch/limiter.ts'
import { withRateLimit } from './fetch/with-rate-limit.ts'
import { facts } from './gen/logging.client.ts'
import type { paths } from './gen/logging.ts'

/** openapi-fetch's client, with the paths of the logging interface. */
export type LoggingClient = Client<paths>

/** Options of a client of the logging interface. */
export type LoggingClientOptions = ClientOptions & {
  /** Share one limiter between all clients that call the same pull zones. By default, each client has its own. */
  readonly limiter?: Limiter | undefined
}

/**
 * Creates a client of the logging interface (§1). It obeys the rate limit of each pull zone (§8). `readLogs` and `readLogFile`
 * read whole ranges and files, with paging and retries. Version 1 is text: request it with `parseAs`.
 *
 * @param options as for `createManagementClient`, and a limiter
 * @returns openapi-fetch's client
 * @throws TypeError for an invalid base URL or credential
 */
export function createLoggingClient({
  limiter = createLimiter(),
  ...options
}: LoggingClientOptions = {}): LoggingClient {
  // Invalid credentials give 403 here (§5).
  return createApiClient<paths>(facts, options as ClientOptions, {
    wrap: [withRateLimit(limiter)],
    renewOn: [401, 403],
  })
}
