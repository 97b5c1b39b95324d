import { TransportError } from '../errors/transport-error.ts'
import { type CallDescription, copyRequest, describeCall, wrapBody } from './request-facts.ts'
import { maxTimerMs, unlessAborted } from './sleep.ts'
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
  return createWrapper(async (request, send) => {
    const limit = startTimeLimit({ ms, isIdle, outer: request.signal, describe: () => describeCall(request) })
    try {
      const { signal } = limit
      return limit.limitBody(await unlessAborted(send(copyRequest(request, { signal })), signal))
    } catch (cause) {
      limit.end()
      throw limit.signal.aborted ? limit.signal.reason : cause
    }
  })
}

interface TimeLimitOptions {
  /** Time until the signal fires, in milliseconds. */
  readonly ms: number
  /** Whether only the time without incoming data counts, instead of the whole time. */
  readonly isIdle: boolean
  /** A second signal that also fires the limit's signal. */
  readonly outer: AbortSignal | undefined
  /** Describes the call for the error. Called late, because the error hides credentials that inner wrappers add. */
  readonly describe: () => CallDescription
}

/** Starts a time limit on a call. Its signal fires with a TransportError of kind `timeout`. */
export function startTimeLimit({ ms, isIdle, outer, describe }: TimeLimitOptions) {
  const controller = new AbortController()
  const what = isIdle ? `got nothing for ${ms} ms` : `took longer than ${ms} ms`
  const stop = () => controller.abort(new TransportError(describe(), 'timeout', what))
  const start = () => setTimeout(stop, Math.min(ms, maxTimerMs))
  let timer = start()
  /** Fires when the time has passed. */
  const signal = outer ? AbortSignal.any([outer, controller.signal]) : controller.signal
  /** Ends the limit: its signal no longer fires. */
  const end = () => clearTimeout(timer)
  /** Extends the limit to the body of the response. */
  const limitBody = (response: Response): Response => {
    const isEmpty = response.headers.get('Content-Length') === '0' // openapi-fetch does not read such a body
    if (isIdle || isEmpty) end()
    if (isEmpty) return response
    const readChunk = <T>(read: () => Promise<T>) => {
      if (!isIdle) return unlessAborted(read(), signal)
      timer = start()
      return unlessAborted(read(), signal).finally(end)
    }
    return wrapBody(response, readChunk, end)
  }
  return { signal, end, limitBody }
}
