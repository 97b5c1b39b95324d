import { TransportError } from '../errors/transport-error.ts'
import { unlessAborted } from './abortable.ts'
import { watchBody } from './body.ts'
import { describeRequest } from './request-facts.ts'
import { createWatch } from './watch.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Ends a call that takes too long, including its body, with a TransportError of kind `timeout`. Outside of `withRetry`, the limit
 * applies to all attempts and pauses together. Inside of it, the limit applies to each attempt.
 *
 * @param ms maximum time in milliseconds
 * @example
 * createManagementClient({ wrap: [withTimeout(60_000), withRetry(), withTimeout(10_000)] })
 */
export function withTimeout(ms: number): FetchWrapper {
  return within(ms, false)
}

/**
 * Ends a call if no data arrives for a while. It suits responses of any size. Time in which the caller does not read does not
 * count.
 *
 * @param ms maximum time in milliseconds between two chunks, and from sending the request to its response
 * @example
 * createLoggingClient({ wrap: [withIdleTimeout(30_000)] })
 */
export function withIdleTimeout(ms: number): FetchWrapper {
  return within(ms, true)
}

function within(ms: number, isIdle: boolean): FetchWrapper {
  return createWrapper(async (request, outer, send) => {
    const what = isIdle ? `got nothing for ${ms} ms` : `took longer than ${ms} ms`
    const toReason = () => new TransportError(describeRequest(request), 'timeout', what)
    const watch = createWatch({ ms, isIdle, outer, toReason })
    try {
      const response = await unlessAborted(send(request, watch.signal), watch.signal)
      watch.pause()
      return watchBody(response, watch)
    } catch (cause) {
      watch.end()
      throw watch.signal.aborted ? watch.signal.reason : cause
    }
  })
}
