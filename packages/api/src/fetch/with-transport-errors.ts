import { TransportError } from '../errors/transport-error.ts'
import { discard, withWebStream } from './body.ts'
import { describeCall } from './call.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Turns a failed connection, a redirect, or a status outside 200 to 599 into a TransportError. Following a redirect would
 * send the credential to another origin. Every client of this package has this wrapper built in, directly around `fetch`: only there
 * is the credential known, and errors must not show it.
 *
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withRetry(), withTransportErrors()])
 */
export function withTransportErrors(): FetchWrapper {
  return createWrapper(async ({ input, init, call }, send) => {
    let response: Response
    try {
      response = await withWebStream(await send(input, init))
      call.response = response
    } catch (cause) {
      if (init.signal?.aborted) throw init.signal.reason
      throw cause instanceof TransportError
        ? cause
        : new TransportError(describeCall(call), 'network', 'got no response', cause)
    }
    const refuse = (kind: 'redirect' | 'network', what: string): never => {
      discard(response)
      throw new TransportError(describeCall(call, response), kind, what)
    }
    const { status } = response
    if (isRedirect(response)) return refuse('redirect', 'was answered with a redirect, which is never followed')
    if (status < 200 || status > 599) return refuse('network', `was answered ${status}, which is no status of HTTP`)
    return response
  })
}

/** Whether a response is a redirect. Browsers show it as status 0; some `fetch` replacements follow it and set `redirected`. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400) || redirected
}
