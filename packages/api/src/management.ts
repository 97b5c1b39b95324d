import type { Calls } from './calls.ts'
import { type ClientOptions, createCalls } from './client.ts'
import { ManagementError } from './errors/management-error.ts'
import { reads } from './gen/management.effects.ts'
import { publicUrl } from './gen/management.server.ts'
import type { paths } from './gen/management.ts'

/** Typed calls of the management interface. */
export type ManagementClient = Calls<paths, ManagementError>

/**
 * Makes a client of the management interface (§1).
 *
 * @param options base URL (the public platform's where absent), at most one credential (§5), middlewares, a fetch of your own
 * @returns the calls; each gives `{ data, error, response }` and rejects only for parameters that cannot be sent
 * @throws TypeError when the base URL or the credentials cannot be used
 */
export function createManagementClient(options: ClientOptions = {}): ManagementClient {
  return createCalls(options, { baseUrl: publicUrl, reads, toError: (failure) => new ManagementError(failure) })
}
