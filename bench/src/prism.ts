/** Prism as its own functions read a contract: for measurements, and as a validating proxy. */
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec, type IHttpConfig } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'

export type PrismOperations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>

/** Prism gives static answers, and validates credentials, requests and responses. */
export const prismConfig = {
  isProxy: false,
  checkSecurity: true,
  validateRequest: true,
  validateResponse: true,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const satisfies IHttpConfig

export const prismLogger: ReturnType<typeof createLogger> = createLogger('prism', { level: 'silent' })

/** Reads one layer of a contract. Prism gets a copy, because it resolves references in place. */
export function readWithPrism(name: InterfaceName, layer: 'document' | 'full'): Promise<PrismOperations> {
  return getHttpOperationsFromSpec(structuredClone(contracts[name].openapi[layer]))
}

/** Starts Prism on a free loopback port, as a validating proxy in front of a server. */
export async function proxyWithPrism(
  operations: PrismOperations,
  upstream: URL,
): Promise<{ url: URL; close(): Promise<void> }> {
  const config: IHttpConfig = { ...prismConfig, isProxy: true, upstream }
  const server = createServer(operations, { cors: false, components: { logger: prismLogger }, config })
  const url = new URL(await server.listen(0, '127.0.0.1'))
  return { url, close: () => server.close() }
}
