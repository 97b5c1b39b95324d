import { TransportError } from '../errors/transport-error.ts'
import { discard, hasWebStream, withBody } from './body.ts'
import { describeCall } from './call.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Turns a failed connection, a redirect, or a status outside 200 to 599 into a TransportError. Following a redirect would
 * send the credential to another origin. Every client of this package has this wrapper built in, directly around `fetch`: only there
 * is the credential known, which errors must hide.
 *
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withRetry(), withTransportErrors()])
 */
export function withTransportErrors(): FetchWrapper {
  return createWrapper(async ({ input, init, call }, send) => {
    let response: Response
    try {
      const sent = await send(input, init)
      response = hasWebStream(sent) ? sent : withBody(sent, await sent.arrayBuffer())
      call.response = response
    } catch (cause) {
      if (init.signal?.aborted) throw init.signal.reason
      throw cause instanceof TransportError
        ? cause
        : new TransportError(describeCall(call), 'network', 'got no response', cause)
    }
    const refusal = refusalOf(response)
    if (!refusal) return response
    discard(response)
    throw new TransportError(describeCall(call, response), ...refusal)
  })
}

/** Why a response cannot be used. Browsers show a redirect as status 0; some `fetch` replacements follow it and set `redirected`. */
function refusalOf({ type, status, redirected }: Response): ['redirect' | 'network', string] | undefined {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400) || redirected)
    return ['redirect', 'was answered with a redirect, which is never followed']
  if (status < 200 || status > 599) return ['network', `was answered ${status}, which is not an HTTP status`]
  return undefined
}
