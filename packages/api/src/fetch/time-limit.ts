import { TransportError } from '../errors/transport-error.ts'
import { type Call, describeCall, type TimeLimit } from './call.ts'
import { maxTimerMs } from './sleep.ts'

/**
 * Starts a time limit.
 *
 * @param ms time until the signal fires, in milliseconds
 * @param isIdle whether only the time without incoming data counts, instead of the whole time
 * @param outer a second signal that also fires the limit's signal
 */
export function startTimeLimit(
  ms: number,
  isIdle: boolean,
  outer: AbortSignal | null | undefined,
  call: Call,
): TimeLimit {
  const controller = new AbortController()
  const { signal } = controller
  let stop: (reason: unknown) => void = () => {}
  const abort = (reason: unknown) => {
    controller.abort(reason)
    stop(reason)
  }
  const whenAborted = (then: typeof stop) => {
    stop = then
    if (signal.aborted) stop(signal.reason)
  }
  // The error is created late, because it hides credentials that inner wrappers add.
  const expire = () => {
    const passed = Math.max(performance.now() - since, 0)
    if (isIdle && passed < ms) return start(ms - passed)
    const what = isIdle ? `got nothing for ${ms} ms` : `took longer than ${ms} ms`
    abort(new TransportError(describeCall(call), 'timeout', what))
  }
  // Starting a timer for each chunk would cost more. When this timer fires, it checks when the wait for data began.
  const start = (left: number) => {
    timer = setTimeout(expire, Math.min(left, maxTimerMs))
  }
  const follow = () => abort(outer?.reason)
  let timer: ReturnType<typeof setTimeout> | undefined
  /** When the wait for data began; infinite while the caller does not wait. */
  let since = performance.now()
  start(ms)
  outer?.addEventListener('abort', follow)
  if (outer?.aborted) follow()
  return {
    signal,
    whenAborted,
    wait(isWaiting) {
      since = isWaiting ? performance.now() : Number.POSITIVE_INFINITY
    },
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', follow)
    },
  }
}
