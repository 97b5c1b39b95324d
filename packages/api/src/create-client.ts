import type { Client } from 'openapi-fetch'
import { type ClientOptions, createApiClient } from './client.ts'
import { type InterfacePaths, interfaces } from './gen/interfaces.ts'
import { createLoggingClient, type LoggingClientOptions } from './logging-client.ts'

/**
 * Creates a client of any interface of the contract, by name. The clients of single interfaces, such as `createManagementClient`,
 * make smaller bundles.
 *
 * @param name of the interface, such as `management`
 * @param options as for `createManagementClient`; a `limiter` for the logging interface
 * @returns openapi-fetch's client, with the paths of the interface
 * @throws RangeError for an unknown interface, TypeError for an invalid base URL or credential
 */
export function createClient<Name extends keyof InterfacePaths>(
  name: Name,
  options: ClientOptions & Pick<LoggingClientOptions, 'limiter'> = {},
): Client<InterfacePaths[Name]> {
  const { limiter, ...rest } = options
  // `Name` is 'logging' here.
  if (name === 'logging') return createLoggingClient(options) as Client<InterfacePaths[Name]>
  if (!Object.hasOwn(interfaces, name))
    throw new RangeError(`Unknown interface ${name}: expected one of ${Object.keys(interfaces).join(', ')}`)
  // The rest of a union loses the rule of at most one credential, which `options` keeps.
  return createApiClient<InterfacePaths[Name]>(interfaces[name], rest as ClientOptions)
}
