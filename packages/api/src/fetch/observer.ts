/** A call, as an observer sees it. All events of a call pass the same object, so that a WeakMap can store its span. */
export interface ObservedCall {
  /** Method and path template, such as `GET /pullzone/{id}`, without ids and query. */
  readonly operation: string
  readonly host: string
  /** Sets a header of the request, such as `traceparent`. Works only in the event `request`. */
  setHeader(name: string, value: string): void
}

/** Why an attempt is repeated: an error response, or the error that prevented a response. */
export type RetryReason = { readonly pauseMs: number } & (
  | { readonly status: number; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: unknown }
)

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
