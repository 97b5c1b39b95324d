import { TransportError } from '../errors/transport-error.ts'
import { discard } from './body.ts'
import { type Call, describeCall } from './call.ts'
import { type Clock, realClock } from './clock.ts'
import { TimeLimit } from './time-limits.ts'
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
  return withLimit({ ms })
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
  return withLimit({ ms, isIdle: true })
}

interface Limit {
  readonly ms: number
  readonly isIdle?: boolean
  readonly clock?: Clock
  /** Whether the time ends when the response arrives, so that the limit does not apply to the body; by default never. */
  readonly endsBefore?: (call: Call, response: Response) => boolean
  /** Whether the limit applies to one attempt; the wait for the rate limit then does not count. */
  readonly isOfAttempt?: boolean
}

/** Sends a request within a time limit, which lasts until the body of the response has been read. */
export function withLimit({
  endsBefore = () => false,
  isOfAttempt = false,
  clock = realClock,
  ...limited
}: Limit): FetchWrapper {
  return createWrapper(async ({ input, init, call }, send) => {
    const toError = (what: string) => new TransportError(describeCall(call), 'timeout', what)
    const limit = new TimeLimit({ ...limited, clock, outer: init.signal, toError })
    const { signal } = limit
    if (isOfAttempt) call.ofAttempt.add(limit)
    try {
      const response = await new Promise<Response>((resolve, reject) => {
        limit.whenAborted(reject) // not every `fetch` obeys a signal
        send(input, { ...init, signal }).then((late) => (signal.aborted ? discard(late) : resolve(late)), reject)
      })
      limit.wait(false)
      if (endsBefore(call, response)) limit.stop()
      call.limits.add(limit) // even without time: inner signals fire only through this one
      return response
    } catch (cause) {
      limit.end()
      throw signal.aborted ? signal.reason : cause
    } finally {
      call.ofAttempt.delete(limit)
    }
  })
}
