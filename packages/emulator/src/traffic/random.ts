/** Numbers from a seed: the same seed gives the same numbers on every machine. */
export interface Random {
  /** @returns an integer from 0 to `bound - 1` */
  below(bound: number): number
  /**
   * @returns one of the items
   * @throws RangeError when there are none
   */
  pick<T>(items: readonly T[]): T
  /** @returns the items in a random order, as a new list */
  shuffle<T>(items: readonly T[]): T[]
  /** @returns lower-case hexadecimal digits */
  hex(digits: number): string
}

/**
 * @param seed any text; different texts give unrelated numbers
 */
export function createRandom(seed: string): Random {
  const next = mulberry32(fnv1a(seed))
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    below,
    pick(items) {
      const index = below(items.length)
      if (!(index in items)) throw new RangeError('There is nothing to pick from')
      return items[index] as (typeof items)[number]
    },
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const moved = shuffled[last] as (typeof shuffled)[number]
        shuffled[last] = shuffled[other] as (typeof shuffled)[number]
        shuffled[other] = moved
      }
      return shuffled
    },
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}

/** The 32-bit generator known as mulberry32: small, fast, and good enough for traffic. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The 32-bit FNV-1a hash, from its published constants. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash | 0
}
