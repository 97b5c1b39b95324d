/** The use of a resource by a check: at the same time as other checks, or alone. */
export type Use = 'shared' | 'alone'

type Uses = ReadonlyMap<string, Use>

/** Creates the locks for the resources of a target. All checks of the target share them. */
export function createLocks() {
  const running = new Set<Uses>()
  const waiting = new Map<Uses, () => void>()
  const serve = () => {
    const ahead = [...running]
    for (const [uses, start] of waiting) {
      const mustWait = ahead.some((other) => conflict(uses, other))
      // A request that needs several resources alone may wait long, so later requests may overtake it.
      if (!mustWait || !wantsSeveral(uses)) ahead.push(uses)
      if (mustWait) continue
      waiting.delete(uses)
      running.add(uses)
      start()
    }
  }
  return {
    /**
     * Waits until all uses are possible. Requests are served in order, but a request goes ahead of earlier requests that
     * it does not conflict with. A waiting request holds no resource, so it cannot cause a deadlock.
     *
     * @returns a function that releases all resources
     * @throws the signal's reason if it aborts before the uses are possible
     */
    async take(uses: Uses, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        if (waiting.delete(uses)) reject(signal.reason)
        serve()
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.set(uses, resolve)
      serve()
      await promise.finally(() => signal.removeEventListener('abort', leave))
      return () => {
        running.delete(uses)
        serve()
      }
    },
  }
}

/** Whether two requests cannot run at once. Shared uses do not delay each other. */
function conflict(one: Uses, other: Uses): boolean {
  for (const [name, use] of one) {
    const otherUse = other.get(name)
    if (otherUse === 'alone' || (otherUse && use === 'alone')) return true
  }
  return false
}

function wantsSeveral(uses: Uses): boolean {
  return [...uses.values()].filter((use) => use === 'alone').length > 1
}
