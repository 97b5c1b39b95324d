import { addressOf, type RetryReason, withHeader } from './call.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/** A call, as an observer sees it. All events from `request` to `response` pass the same object, so that a WeakMap can store its span. */
export interface ObservedCall {
  /** Method and path template, such as `GET /pullzone/{id}`; the path as sent if the request is not from a client of this package. */
  readonly operation: string
  readonly host: string
  /** Sets a header of the request, such as `traceparent`. Works only in the event `request`. */
  setHeader(name: string, value: string): void
}

/** Receives events of calls. No event holds a credential, a header or a body. If a method throws, the call fails. */
export interface Observer {
  /** A request is about to be sent. */
  request?(call: ObservedCall): void
  /** The request ended: `status` if a response arrived, `error` otherwise. */
  response?(call: ObservedCall, end: { readonly status: number | undefined; readonly error: unknown }): void
  /** An inner `withRetry` will repeat the request after a pause. */
  retry?(call: ObservedCall, reason: RetryReason): void
  /** An inner `withRateLimit` has delayed the request for `heldMs` milliseconds. */
  wait?(call: ObservedCall, heldMs: number): void
}

/**
 * Reports events of calls, for traces, metrics and logs. Outside of `withRetry`, `request` and `response` occur once per call.
 * Inside of it, they occur once per attempt. `retry` and `wait` come from wrappers further inside.
 *
 * @example
 * createManagementClient({ wrap: [withObserver({ response: ({ operation }, { status }) => console.log(operation, status) })] })
 */
export function withObserver(observer: Observer): FetchWrapper {
  return createWrapper(async ({ input, init, call: { operation, observed } }, send) => {
    let sent = init
    const call: ObservedCall = {
      operation,
      get host() {
        return new URL(addressOf(input)).host
      },
      setHeader(name, value) {
        sent = withHeader(sent, name, value)
      },
    }
    observed.push({ retry: (reason) => observer.retry?.(call, reason), wait: (ms) => observer.wait?.(call, ms) })
    observer.request?.(call)
    let status: number | undefined
    let error: unknown
    try {
      const response = await send(input, sent)
      status = response.status
      return response
    } catch (cause) {
      error = cause
      throw cause
    } finally {
      observed.pop()
      observer.response?.(call, { status, error })
    }
  })
}
