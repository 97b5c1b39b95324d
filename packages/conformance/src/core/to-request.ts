/**
 * Returns the request of a call to `fetch`. A request without further settings is returned unchanged, because a copy would take its
 * body, and costs as much as sending it.
 */
export function toRequest(input: RequestInfo | URL, init?: RequestInit): Request {
  return input instanceof Request && init === undefined ? input : new Request(input, init)
}
