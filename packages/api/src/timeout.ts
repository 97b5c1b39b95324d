import type { Call, Middleware, Next, Outcome } from './middleware.ts'
import { createWatch } from './watch.ts'

/**
 * Ends a call that takes too long, its body included, with a TransportError of kind `timeout`. Before `retry` it bounds all
 * attempts and pauses together, after it each attempt. With `parseAs: 'stream'` it ends with the headers.
 *
 * @param ms in milliseconds
 */
export function timeout(ms: number): Middleware {
  return (call, next) => watched(ms, call, next)
}

/**
 * Ends a call when nothing of its answer arrives for a while: for answers of any size.
 *
 * @param ms the longest time between two pieces, in milliseconds; also between sending and the first one
 */
export function idleTimeout(ms: number): Middleware {
  return (call, next) => watched(ms, call, next, true)
}

async function watched(ms: number, call: Call, next: Next, isIdle = false): Promise<Outcome> {
  const watch = createWatch(ms, call.signal)
  let { end } = watch
  try {
    const outcome = await next({ ...call, signal: watch.signal, progress: isIdle ? watch.touch : call.progress })
    // The caller reads the body, and its signal must still end it.
    if (outcome.data instanceof ReadableStream) end = watch.stop
    return outcome
  } finally {
    end()
  }
}
