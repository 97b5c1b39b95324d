/** A call, as an observer sees it: the same object in all its events, so that a span can be stored in a WeakMap. */
export interface ObservedCall {
  /** Method and path template, such as `GET /pullzone/{id}`, without ids and query. */
  readonly operation: string
  readonly host: string
  /** Adds a header to the request, such as `traceparent`. Effective only in `request`. */
  setHeader(name: string, value: string): void
}

/** Why an attempt is repeated: an error response, or the error that prevented a response. */
export type RetryReason = { readonly pauseMs: number } & (
  | { readonly status: number; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: unknown }
)

/** Receives events of calls. No event holds a credential, a header or a body. An exception of a method ends the call. */
export interface Observer {
  /** A request is about to be sent. */
  request?(call: ObservedCall): void
  /** The request ended: `status` if a response arrived, `error` otherwise. */
  response?(call: ObservedCall, end: { readonly status: number | undefined; readonly error: unknown }): void
  /** `withRetry`, further inside, will repeat the request after a pause. */
  retry?(call: ObservedCall, reason: RetryReason): void
  /** `withRateLimit`, further inside, has delayed the request for this long, in milliseconds. */
  wait?(call: ObservedCall, heldMs: number): void
}
