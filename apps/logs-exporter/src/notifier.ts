/** Notifies tasks that wait for an event. */
export function createNotifier() {
  let next = Promise.withResolvers<void>()
  return {
    notify(): void {
      next.resolve()
      next = Promise.withResolvers()
    },
    /** Resolves at the next event. Call it before you read the state, so that you miss no event in between. */
    next: (): Promise<void> => next.promise,
  }
}

/** Waits for an event, but at most `ms` milliseconds. Resolves early, without an error, if the signal fires. */
export async function sleepUntil(
  event: Promise<void>,
  {
    sleep,
    ms,
    signal,
  }: { sleep(ms: number, signal: AbortSignal): Promise<void>; readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController()
  await Promise.race([event, sleep(ms, AbortSignal.any([signal, over.signal]))])
  over.abort(noReason)
}

/** By default, an abort creates an error with a stack, which costs more than the rest of a claim of the schedule. */
const noReason = 'over'
