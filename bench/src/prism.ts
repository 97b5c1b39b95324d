/** Prism as its own functions read a contract, for measurements. */
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec, type IHttpConfig } from '@stoplight/prism-http'

export type PrismOperations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>

/** Prism gives static responses, and validates credentials, requests and responses. */
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
export function readWithPrism(name: InterfaceName, layer: 'spec' | 'full'): Promise<PrismOperations> {
  return getHttpOperationsFromSpec(structuredClone(contracts[name].openapi[layer]))
}
