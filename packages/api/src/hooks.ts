import type { CallError } from './errors/call-error.ts'
import type { Call, Middleware } from './middleware.ts'

/**
 * What happens to a call. Each attempt is a `call` object of its own, the same one in `request` and `response`, so that a
 * span can be kept in a WeakMap. Nothing that is handed over holds a credential; the answer's headers and body are not
 * handed over at all. What a hook throws ends the call.
 */
export interface Observer {
  /** An attempt is about to be sent. What is put into `call.headers` goes along, for example `traceparent`. */
  request?(call: Call): void
  /** An attempt has ended: `status` where an answer came, `error` where it was no success. */
  response?(call: Call, end: { readonly status: number | undefined; readonly error: CallError | undefined }): void
  /** An attempt will be repeated after a pause. */
  retry?(call: Call, why: { readonly error: CallError; readonly pauseMs: number }): void
  /** An attempt was held back by the limiter. */
  wait?(call: Call, heldMs: number): void
}

/**
 * Tells an observer what happens to calls: for traces, metrics, logs. Its place among other middlewares does not matter
 * as long as it stands before them.
 */
export function hooks(observer: Observer): Middleware {
  return (call, next) => next({ ...call, observer })
}
