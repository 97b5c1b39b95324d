/** A buffer of the newest items. */
export interface Ring<T> {
  push(item: T): void
  /** Oldest first. */
  items(): readonly T[]
  /** Number of items that were dropped for newer ones. */
  dropped(): number
  clear(): void
}

/** @param limit maximum number of items */
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
