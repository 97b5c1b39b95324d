import type { InterfaceName } from '@cdn/api/contract'
import type { Emulator } from '../../src/emulator.ts'
import type { Variants } from '../../src/variants/variants.ts'
import { type OracleExchange, validateResponse } from './validate-response.ts'

/** The base URLs of both interfaces, and a `fetch` that reaches them. */
export interface Endpoints {
  readonly managementUrl: URL
  readonly loggingUrl: URL
  readonly fetch: typeof fetch
}

/** Name of the test fault that removes the rate limit. Responses are validated even while this fault is active. */
export const unlimitedName = 'unlimited'

/**
 * Creates a `fetch` that validates each response against the contract. With the default variants, it validates against both
 * layers, otherwise only against the layer `document`. While a fault is active, responses are not validated.
 *
 * @param variants the variants that differ from the defaults
 * @param onSeen receives each exchange
 * @throws Error that names the contract violations of a response
 */
export function createValidatingFetch(
  emulator: Emulator,
  { managementUrl, loggingUrl, fetch: send }: Endpoints,
  variants: Partial<Variants>,
  onSeen: (seen: OracleExchange, headers: Headers) => void = () => {},
): typeof fetch {
  const layers = Object.keys(variants).length === 0 ? (['spec', 'full'] as const) : (['spec'] as const)
  return async (input, init) => {
    const isFaulty = emulator.faults.active().some(({ name }) => name !== unlimitedName)
    const response = await send(input, init)
    const url = new URL(input instanceof Request ? input.url : input)
    const names: Readonly<Record<string, InterfaceName>> = {
      [managementUrl.origin]: 'management',
      [loggingUrl.origin]: 'logging',
    }
    const name = names[url.origin]
    if (isFaulty || !name) return response
    const seen: OracleExchange = {
      interface: name,
      method: (input instanceof Request ? input.method : init?.method) ?? 'GET',
      path: url.pathname,
      status: response.status,
      contentType: response.headers.get('content-type'),
      body: await response.clone().text(),
    }
    onSeen(seen, response.headers)
    // No operation lists a 403 for a missing scope; §5 leaves that status open.
    const isOpen = variants.missingScope === 403 && seen.status === 403
    const breaches = isOpen
      ? []
      : layers.flatMap((layer) => validateResponse(seen, layer).map((text) => `${layer}: ${text}`))
    if (breaches.length > 0) throw new Error(`${seen.method} ${seen.path} breaks the contract: ${breaches.join('; ')}`)
    return response
  }
}
