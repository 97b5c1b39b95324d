/** A queue whose first item has the smallest key. */
export interface Heap<Item> {
  first(): Item | undefined
  push(item: Item): void
  /** Removes the first item. */
  shift(): Item | undefined
}

/** Creates an empty binary heap. Adding and removing take time that grows with the logarithm of its size. */
export function createHeap<Item>(keyOf: (item: Item) => number): Heap<Item> {
  const items: Item[] = []
  const key = (index: number) => {
    const item = items[index]
    return item === undefined ? Number.POSITIVE_INFINITY : keyOf(item)
  }
  function swap(a: number, b: number): void {
    const [one, other] = [items[a], items[b]] as [Item, Item] // both are within bounds
    items[a] = other
    items[b] = one
  }
  return {
    first: () => items[0],
    push(item) {
      let at = items.push(item) - 1
      for (let up = (at - 1) >> 1; at > 0 && key(at) < key(up); up = (at - 1) >> 1) {
        swap(at, up)
        at = up
      }
    },
    shift() {
      if (items.length > 1) swap(0, items.length - 1)
      const first = items.pop()
      for (let at = 0; ; ) {
        const left = 2 * at + 1
        const down = key(left + 1) < key(left) ? left + 1 : left
        if (down >= items.length || key(at) <= key(down)) return first
        swap(at, down)
        at = down
      }
    },
  }
}
