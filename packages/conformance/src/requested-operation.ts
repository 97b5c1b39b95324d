import { type InterfaceName, type Operation, route } from '@cdn/api/contract'

/**
 * The operation of the contract that a request is for.
 *
 * @param bases where the interfaces are
 * @returns undefined where it is for none
 */
export function requestedOperation(
  request: Pick<Request, 'url' | 'method'>,
  bases: Readonly<Record<InterfaceName, URL>>,
): Operation | undefined {
  const url = new URL(request.url)
  for (const name of ['management', 'logging'] as const) {
    const base = bases[name]
    const folder = base.pathname.replace(/\/$/, '')
    if (url.origin !== base.origin || !url.pathname.startsWith(folder)) continue
    const found = route(name, request.method, url.pathname.slice(folder.length))
    if (found && 'operation' in found) return found.operation
  }
  return undefined
}
