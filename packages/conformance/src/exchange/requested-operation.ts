import { type InterfaceName, type Operation, route } from '@cdn/api/contract'

/** Addresses of both interfaces. Requests and credentials of an interface go only to its address. */
export type Bases = Readonly<Record<InterfaceName, URL>>

/** Returns the URL of a path below a base URL, whether or not the base ends with a slash. */
export function urlBelow(base: URL, path: string): URL {
  return new URL(base.href.replace(/\/$/, '') + path)
}

/** An operation of the contract, with the path parameters of the request. */
export interface RequestedOperation {
  readonly operation: Operation
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Finds the operation of a request by its URL and its method.
 *
 * @returns undefined if the request matches no operation
 */
export function requestedOperation(
  request: Pick<Request, 'url' | 'method'>,
  bases: Bases,
): RequestedOperation | undefined {
  const url = new URL(request.url)
  // The keys of `bases` are names of interfaces.
  for (const [name, base] of Object.entries(bases) as [InterfaceName, URL][]) {
    const folder = base.pathname.replace(/\/$/, '')
    if (url.origin !== base.origin || !url.pathname.startsWith(folder)) continue
    const match = route(name, request.method, url.pathname.slice(folder.length))
    if (match && 'operation' in match) return match
  }
  return undefined
}

/**
 * Returns the request of a call to `fetch`. A request without further settings is returned unchanged, because a copy would consume
 * its body, and takes as long as sending it.
 */
export function toRequest(input: RequestInfo | URL, init?: RequestInit): Request {
  return input instanceof Request && init === undefined ? input : new Request(input, init)
}
