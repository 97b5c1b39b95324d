import { assertDefined } from '@cdn/kit/assert-defined'
import { mulberry32 } from '@cdn/kit/mulberry32'

/** A seeded random source. The same seed gives the same numbers on every machine. */
export type Random = ReturnType<typeof createRandom>

/** @param seed any text; two texts give the same numbers only if their 32-bit hashes are equal */
export function createRandom(seed: string) {
  const next = mulberry32(hash(seed))
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    /** Returns an integer from 0 to `bound - 1`. */
    below,
    /** Returns a number from 0 to less than 1. */
    fraction: next,
    /** Returns true with this probability, 0 to 1. */
    chance: (share: number) => next() < share,
    /** Returns one of the items. The list is not empty. */
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T, // the index is within bounds
    /** Returns a new list with the items in random order. */
    shuffle<T>(items: readonly T[]) {
      const shuffled = [...items]
      const at = (index: number) => shuffled[index] as T // both indexes are within bounds
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const moved = at(last)
        shuffled[last] = at(other)
        shuffled[other] = moved
      }
      return shuffled
    },
    /** Returns lower-case hexadecimal digits. */
    hex(digits: number) {
      let text = ''
      while (text.length < digits) text += toHex8(below(2 ** 32))
      return text.slice(0, digits)
    },
  }
}

/** Returns the 32-bit FNV-1a hash of the code points of a text. */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ assertDefined(char.codePointAt(0)), 0x01000193)
  return value | 0
}

/** Scatters 32-bit numbers. Different numbers have different results. */
export function mix(number: number): number {
  let value = Math.imul(number ^ (number >>> 16), 0x45d9f3b)
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  return value ^ (value >>> 16)
}

/** Formats the lower 32 bits of an integer as 8 hexadecimal digits. */
export function toHex8(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0')
}

/** Puts neighbouring rows of equal time in random order. Without `random`, the order stays unchanged. */
export function shuffleTies<Row extends { readonly timestamp: number }>(rows: readonly Row[], random?: Random) {
  if (!random) return rows
  const byTime = [...Map.groupBy(rows, ({ timestamp }) => timestamp).values()]
  return byTime.flatMap((ties) => (ties.length > 1 ? random.shuffle(ties) : ties))
}
