import { startTimeLimit } from './time-limit.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Ends a call that takes too long, including its body, with a TransportError of kind `timeout`. Outside of `withRetry`, the limit
 * applies to all attempts and pauses together. Inside of it, the limit applies to each attempt.
 *
 * @param ms maximum time in milliseconds
 * @example
 * createManagementClient({ wrap: [withTimeout(60_000)] })
 */
export function withTimeout(ms: number): FetchWrapper {
  return within(ms, false, true)
}

/**
 * Ends a call if no data arrives for a while. It suits responses of any size. Time in which the caller does not read does not
 * count.
 *
 * @param ms maximum time in milliseconds between two chunks, and from sending the request to its response
 * @example
 * createLoggingClient({ timeout: false, wrap: [withIdleTimeout(30_000)] })
 */
export function withIdleTimeout(ms: number): FetchWrapper {
  return within(ms, true, true)
}

/** The time-out of every client: like `withTimeout`, but a body that is read as a stream has no limit. */
export function withClientTimeout(ms: number): FetchWrapper {
  return within(ms, false, false)
}

function within(ms: number, isIdle: boolean, coversStreams: boolean): FetchWrapper {
  return createWrapper(async ({ input, init, call }, send) => {
    const limit = startTimeLimit(ms, isIdle, init.signal, call)
    const { signal } = limit
    try {
      const response = await new Promise<Response>((resolve, reject) => {
        limit.whenAborted(reject) // not every `fetch` obeys a signal
        send(input, { ...init, signal }).then(resolve, reject)
      })
      limit.wait(false)
      if (call.isStream && !coversStreams) limit.end()
      else call.limits.push(limit)
      return response
    } catch (cause) {
      limit.end()
      throw signal.aborted ? signal.reason : cause
    }
  })
}
