import type { Client } from 'openapi-fetch'
import { type ClientOptions, createApiClient } from './client.ts'
import { type InterfaceCredentials, type InterfacePaths, interfaces } from './gen/interfaces.ts'
import { createLoggingClient, type LoggingClientOptions } from './logging-client.ts'

/**
 * Creates a client of any interface of the contract, by name. The clients of single interfaces, such as `createManagementClient`,
 * make smaller bundles.
 *
 * @param name name of the interface, such as `management`
 * @param options as for `createManagementClient`; for the logging interface also a `limiter`
 * @returns openapi-fetch's client, with the paths of the interface
 * @throws RangeError for an unknown interface, TypeError for an invalid base URL or credential
 */
export function createClient<Name extends keyof InterfacePaths>(
  name: Name,
  options: ClientOptions & Pick<LoggingClientOptions, 'limiter'> & NoCredential<Name> = {},
): Client<InterfacePaths[Name]> {
  const { limiter, ...rest } = options
  // TypeScript does not infer that `Name` is 'logging' here.
  if (name === 'logging') return createLoggingClient(options) as Client<InterfacePaths[Name]>
  if (!Object.hasOwn(interfaces, name))
    throw new RangeError(`Unknown interface ${name}: expected one of ${Object.keys(interfaces).join(', ')}`)
  // `options` is a union that allows at most one credential. TypeScript drops that rule from the type of `rest`.
  return createApiClient<InterfacePaths[Name]>(interfaces[name], rest as ClientOptions)
}

type NoCredential<Name extends keyof InterfaceCredentials> = {
  readonly [Kind in Exclude<'accessKey' | 'bearer', InterfaceCredentials[Name]>]?: undefined
}
