/** A signal that fires when nothing has happened for a while. */
export interface Watch {
  readonly signal: AbortSignal
  /** Something has happened: the time begins anew. */
  touch(): void
  /** Ends the time; `outer` can still fire the signal. */
  stop(): void
  /** Ends the watch; nothing fires the signal any more. */
  end(): void
}

/**
 * Begins a watch.
 *
 * @param ms how long nothing may happen, in milliseconds
 * @param outer fires the signal too, with its own reason
 */
export function createWatch(ms: number, outer?: AbortSignal): Watch {
  const { controller, unlink } = link(outer)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const touch = () => {
    stop()
    timer = setTimeout(() => controller.abort(new DOMException(`${ms} ms have passed`, 'TimeoutError')), ms)
  }
  touch()
  const end = () => {
    stop()
    unlink()
  }
  return { signal: controller.signal, touch, stop, end }
}

/**
 * Makes a controller of our own that also fires when the caller's signal does. (`AbortSignal.any` is missing in Node 20.0,
 * and keeps the caller's signal busy after the call.)
 */
export function link(outer: AbortSignal | undefined): { controller: AbortController; unlink(): void } {
  const controller = new AbortController()
  const forward = () => controller.abort(outer?.reason)
  if (outer?.aborted) forward()
  outer?.addEventListener('abort', forward)
  return { controller, unlink: () => outer?.removeEventListener('abort', forward) }
}
