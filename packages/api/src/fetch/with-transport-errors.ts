import { TransportError } from '../errors/transport-error.ts'
import { describeRequest, setRequest } from './request-facts.ts'
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
        : new TransportError(describeRequest(request), 'network', 'got no response', cause)
    }
    if (isRedirect(response)) {
      await response.body?.cancel().catch(() => {})
      const call = { ...describeRequest(request), response }
      throw new TransportError(call, 'redirect', 'was answered with a redirect, which is never followed')
    }
    setRequest(response, request)
    return response
  })
}

/** Whether a response is a redirect. Browsers show it as status 0; some `fetch` replacements follow it and set `redirected`. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400) || redirected
}
