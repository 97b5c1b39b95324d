/** How a check uses a resource: together with others, or alone. */
export type Use = 'shared' | 'alone'

interface Waiting {
  readonly uses: ReadonlyMap<string, Use>
  readonly start: () => void
}

/** Locks of a target's resources, which its checks share. */
export interface Locks {
  /**
   * Waits until all uses are possible. Requests are served in order, but a request goes ahead of earlier requests that
   * it does not conflict with. A waiting request holds no resource, so it cannot cause a deadlock.
   *
   * @returns a function that releases all resources
   * @throws the signal's reason
   */
  take(uses: ReadonlyMap<string, Use>, signal: AbortSignal): Promise<() => void>
}

export function createLocks(): Locks {
  const held = new Map<string, number>()
  const queue: Waiting[] = []
  const isFree = ([name, use]: readonly [string, Use]) =>
    use === 'alone' ? !held.get(name) : (held.get(name) ?? 0) >= 0
  const add = (uses: ReadonlyMap<string, Use>, by: number) => {
    for (const [name, use] of uses) held.set(name, use === 'alone' ? (by > 0 ? -1 : 0) : (held.get(name) ?? 0) + by)
  }
  const serve = () => {
    const claimed = new Map<string, Use>()
    for (const waiting of [...queue]) {
      const entries = [...waiting.uses]
      // Shared uses do not delay each other. No later request for a resource overtakes a request for the resource alone.
      const isBehind = entries.some(
        ([name, use]) => claimed.has(name) && (use === 'alone' || claimed.get(name) === 'alone'),
      )
      if (!isBehind && entries.every(isFree)) {
        queue.splice(queue.indexOf(waiting), 1)
        add(waiting.uses, 1)
        waiting.start()
      } else if (!wantsSeveral(entries))
        for (const [name, use] of entries) if (claimed.get(name) !== 'alone') claimed.set(name, use)
    }
  }
  return {
    take: (uses, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const waiting: Waiting = {
          uses,
          start: () => {
            signal.removeEventListener('abort', leave)
            resolve(() => {
              add(uses, -1)
              serve()
            })
          },
        }
        const leave = () => {
          const index = queue.indexOf(waiting)
          if (index < 0) return
          queue.splice(index, 1)
          reject(signal.reason)
          serve()
        }
        signal.addEventListener('abort', leave, { once: true })
        queue.push(waiting)
        serve()
      }),
  }
}

function wantsSeveral(entries: readonly (readonly [string, Use])[]): boolean {
  return entries.filter(([, use]) => use === 'alone').length > 1
}
