import { defined } from '@cdn/kit/defined'

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

/** Creates an empty queue. Operations take logarithmic time in the number of zones, so ten thousand zones are fine. */
export function createDueQueue(): DueQueue {
  const later = createHeap<Waiting>((a, b) => a.due - b.due)
  const ready = createHeap<Waiting>((a, b) => a.deadline - b.deadline)
  return {
    add: (zone, due, deadline) => later.push({ zone, due, deadline }),
    take(now) {
      for (let next = later.peek(); next && next.due <= now; next = later.peek()) {
        later.pop()
        ready.push(next)
      }
      return ready.pop()?.zone
    },
    nextDue: () => ready.peek()?.due ?? later.peek()?.due,
  }
}

/** A binary heap. `pop` takes the minimum by `compare`. */
function createHeap<T>(compare: (a: T, b: T) => number) {
  const items: T[] = []
  const isBefore = (a: number, b: number) => compare(defined(items[a]), defined(items[b])) < 0
  const swap = (a: number, b: number) => {
    const [before, after] = [defined(items[a]), defined(items[b])]
    items[a] = after
    items[b] = before
  }
  return {
    push(item: T): void {
      let at = items.push(item) - 1
      for (let parent = (at - 1) >> 1; at > 0 && isBefore(at, parent); parent = (at - 1) >> 1) {
        swap(at, parent)
        at = parent
      }
    },
    peek: () => items[0],
    pop(): T | undefined {
      const least = items[0]
      const last = items.pop()
      if (items.length === 0 || last === undefined) return least
      items[0] = last
      for (let at = 0; ; ) {
        const left = 2 * at + 1
        const child = left + 1 < items.length && isBefore(left + 1, left) ? left + 1 : left
        if (child >= items.length || !isBefore(child, at)) return least
        swap(at, child)
        at = child
      }
    },
  }
}
