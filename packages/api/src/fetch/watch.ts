import { maxTimerMs } from './abortable.ts'

/** A time limit on a call: its signal fires when the time has passed. */
export interface Watch {
  readonly signal: AbortSignal
  /** Call this when the call starts to wait for the platform. An idle watch restarts its time. */
  resume(): void
  /** Call this when the caller is busy. An idle watch does not count this time. */
  pause(): void
  /** Ends the watch: its signal no longer fires. */
  end(): void
}

export interface WatchOptions {
  /** Time until the signal fires, in milliseconds. */
  readonly ms: number
  /** Whether only the time without incoming data counts, instead of the whole time. */
  readonly isIdle?: boolean
  /** A second signal that also fires the watch's signal, with the reason of this second signal. */
  readonly outer?: AbortSignal | undefined
  /** Creates the reason of the signal; a `TimeoutError` by default. */
  readonly toReason?: () => Error
}

/** Starts a watch. */
export function createWatch({ ms, isIdle = false, outer, toReason = timeoutError }: WatchOptions): Watch {
  const { controller, unlink } = linkAbort(outer)
  const start = () => setTimeout(() => controller.abort(toReason()), Math.min(ms, maxTimerMs))
  let timer = start()
  return {
    signal: controller.signal,
    resume: isIdle
      ? () => {
          clearTimeout(timer)
          timer = start()
        }
      : () => {},
    pause: isIdle ? () => clearTimeout(timer) : () => {},
    end() {
      clearTimeout(timer)
      unlink()
    },
  }
}

function timeoutError(): Error {
  return new DOMException('the time has passed', 'TimeoutError')
}

/**
 * Creates a controller that also aborts when the caller's signal does. (`AbortSignal.any` would stay attached to the caller's
 * signal after the call.)
 */
export function linkAbort(outer: AbortSignal | undefined): { controller: AbortController; unlink(): void } {
  const controller = new AbortController()
  const forward = () => controller.abort(outer?.reason)
  if (outer?.aborted) forward()
  outer?.addEventListener('abort', forward)
  return { controller, unlink: () => outer?.removeEventListener('abort', forward) }
}
