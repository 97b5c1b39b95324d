import type { InterfaceName } from '@cdn/api/contract'
import type { Emulator } from '../emulator.ts'
import type { Variants } from '../variants.ts'
import { judge, type Seen } from './judge.ts'

/** Where the interfaces are, and what leads there. */
export interface Place {
  readonly managementUrl: URL
  readonly loggingUrl: URL
  readonly fetch: typeof fetch
}

/** A fault of tests that alters no answer, but for those it takes away. */
export const harmless = 'unlimited'

/**
 * A `fetch` that holds each exchange against the contract: the full one where the emulator has the default variants, the
 * document's where it has others. Exchanges while a fault is on are let by.
 *
 * @param variants those that were chosen
 * @param onSeen is given each exchange
 * @throws Error by what the exchange breaks
 */
export function witness(
  emulator: Emulator,
  { managementUrl, loggingUrl, fetch: send }: Place,
  variants: Partial<Variants>,
  onSeen: (seen: Seen, headers: Headers) => void = () => {},
): typeof fetch {
  const layers = Object.keys(variants).length === 0 ? (['document', 'full'] as const) : (['document'] as const)
  return async (input, init) => {
    const isFaulty = emulator.faults.active().some(({ name }) => name !== harmless)
    const response = await send(input, init)
    const url = new URL(input instanceof Request ? input.url : input)
    const names: Readonly<Record<string, InterfaceName>> = {
      [managementUrl.origin]: 'management',
      [loggingUrl.origin]: 'logging',
    }
    const name = names[url.origin]
    if (isFaulty || !name) return response
    const seen: Seen = {
      interface: name,
      method: (input instanceof Request ? input.method : init?.method) ?? 'GET',
      path: url.pathname,
      status: response.status,
      contentType: response.headers.get('content-type'),
      body: await response.clone().text(),
    }
    onSeen(seen, response.headers)
    // A 403 for a missing scope is in no list of statuses: §5 leaves that status open.
    const isOpen = variants.missingScope === 403 && seen.status === 403
    const breaches = isOpen ? [] : layers.flatMap((layer) => judge(seen, layer).map((text) => `${layer}: ${text}`))
    if (breaches.length > 0) throw new Error(`${seen.method} ${seen.path} breaks the contract: ${breaches.join('; ')}`)
    return response
  }
}
