/** A zone that waits for its next cycle. Times are in ms since 1970. */
interface Waiting {
  readonly zone: string
  readonly due: number
  readonly deadline: number
}

/** Zones in the order of their next cycles. Among zones that are due, the one whose deadline is next comes first. */
export interface DueQueue {
  add(zone: string, due: number, deadline: number): void
  /** Takes the next zone that is due at `now`; undefined if none is due. */
  take(now: number): string | undefined
  /** When the next zone is due; undefined for an empty queue. */
  nextDue(): number | undefined
}

/** Creates an empty queue. It keeps sorted arrays, which is fast enough for ten thousand zones. */
export function createDueQueue(): DueQueue {
  const later: Waiting[] = []
  const ready: Waiting[] = []
  return {
    add: (zone, due, deadline) => insert(later, { zone, due, deadline }, 'due'),
    take(now) {
      const isLater = later.findIndex(({ due }) => due > now)
      const due = later.splice(0, isLater === -1 ? later.length : isLater)
      for (const each of due) insert(ready, each, 'deadline')
      return ready.shift()?.zone
    },
    nextDue: () => (ready[0] ?? later[0])?.due,
  }
}

/** Inserts an item after those with the same or a smaller key. */
function insert(items: Waiting[], item: Waiting, key: 'due' | 'deadline'): void {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((items[middle]?.[key] ?? 0) <= item[key]) low = middle + 1
    else high = middle
  }
  items.splice(low, 0, item)
}
