/** The newest items of a row that has no end. */
export interface Ring<T> {
  push(item: T): void
  /** Oldest first. */
  items(): readonly T[]
  /** How many have gone to make room. */
  dropped(): number
  clear(): void
}

/** @param limit how many items are kept */
export function createRing<T>(limit: number): Ring<T> {
  const slots: T[] = []
  let total = 0
  return {
    push: (item) => {
      slots[total++ % limit] = item
    },
    items() {
      const oldest = total > limit ? total % limit : 0
      return [...slots.slice(oldest), ...slots.slice(0, oldest)]
    },
    dropped: () => total - slots.length,
    clear() {
      slots.length = 0
      total = 0
    },
  }
}
