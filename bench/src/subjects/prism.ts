import { contracts } from '@cdn/api/contract'
import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec, type IHttpMockConfig } from '@stoplight/prism-http'

/** Prism as the suite's mock runs it: static answers, with security and requests checked. */
export const prismConfig = {
  isProxy: false,
  checkSecurity: true,
  validateRequest: true,
  validateResponse: true,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
} as const satisfies IHttpMockConfig

export const prismLogger = createLogger('bench', { level: 'silent' })

/** The operations of the management interface. Prism resolves references in place, so it gets a copy. */
export function readOperations() {
  return getHttpOperationsFromSpec(structuredClone(contracts.management.openapi.full))
}
