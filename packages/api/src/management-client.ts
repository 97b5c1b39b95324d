import type { Client } from 'openapi-fetch'
import { type ClientOptions, createApiClient } from './client.ts'
import { facts } from './gen/management.client.ts'
import type { paths } from './gen/management.ts'

/** openapi-fetch's client, with the paths of the management interface. */
export type ManagementClient = Client<paths>

/**
 * Creates a client of the management interface (§1).
 *
 * @param options base URL (the public platform by default), at most one credential (§5), fetch wrappers, and the options of
 *   openapi-fetch
 * @returns openapi-fetch's client. Its methods resolve to `{ data, error, response }` for any response. They reject with a
 *   TransportError if no usable response arrives, with the signal's reason after an abort, and with a TypeError or RangeError for
 *   parameters that cannot be sent
 * @throws TypeError for an invalid base URL or credential
 */
export function createManagementClient(options: ClientOptions = {}): ManagementClient {
  return createApiClient<paths>(facts, options)
}
