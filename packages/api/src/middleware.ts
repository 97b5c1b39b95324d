import type { CallResult } from './calls.ts'
import type { CallError } from './errors/call-error.ts'
import type { Observer } from './hooks.ts'

/** A call on its way, as middlewares see it. Nothing in it is secret: the credential is put on at the very end. */
export interface Call {
  /** Method and path template, for example `GET /pullzone/{id}`. */
  readonly operation: string
  /** Whether the contract says that the operation changes nothing (`x-effect: read`). */
  readonly isRead: boolean
  /** The path parameters as given. */
  readonly path: Readonly<Record<string, unknown>>
  /** What goes out beside the credential; a hook may add to it, for example `traceparent`. */
  readonly headers: Headers
  readonly signal: AbortSignal | undefined
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** Called for every piece of the answer that arrives. */
  readonly progress?: (() => void) | undefined
  readonly observer?: Observer | undefined
}

/** What comes of a call, whatever its operation. */
export type Outcome = CallResult<unknown, CallError>

/** Carries a call on: to the next middleware, at the end to the platform. Gives a value for whatever they do. */
export type Next = (call: Call) => Promise<Outcome>

/** Stands between the caller and the platform: it may change the call, wait, or carry it on more than once. */
export type Middleware = (call: Call, next: Next) => Promise<Outcome>

/**
 * Puts middlewares before the end of a way.
 *
 * @param middlewares the first one is the outermost
 */
export function compose(middlewares: readonly Middleware[], end: Next): Next {
  return middlewares.reduceRight<Next>((next, middleware) => (call) => middleware(call, next), end)
}
