import { TransportError } from '../errors/transport-error.ts'
import { describeCall, requests } from './request-facts.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Turns a failed connection or a redirect into a TransportError. Following a redirect would send the credential to another
 * origin. Every client of this package has this wrapper built in, directly around `fetch`, because only there the credential that
 * errors must hide is known.
 *
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withRetry(), withTransportErrors()])
 */
export function withTransportErrors(): FetchWrapper {
  return createWrapper(async (request, send) => {
    let response: Response
    try {
      response = await send(request)
    } catch (cause) {
      if (request.signal.aborted) throw request.signal.reason
      throw cause instanceof TransportError
        ? cause
        : new TransportError(describeCall(request), 'network', 'got no response', cause)
    }
    requests.set(response, request)
    if (!isRedirect(response)) return response
    await response.body?.cancel().catch(() => {})
    throw new TransportError(
      describeCall(response),
      'redirect',
      'was answered with a redirect, which is never followed',
    )
  })
}

/** Whether a response is a redirect. Browsers show it as status 0; some `fetch` replacements follow it and set `redirected`. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400) || redirected
}
