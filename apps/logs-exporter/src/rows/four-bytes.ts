/**
 * Four bytes of a text looked at in one go: the result has the highest bit of a byte set for each one that is looked for. Only
 * the first of them, from the lowest byte on, is sure.
 */

const highBits = 0x80808080

/** Looks for what cannot stand between quotes of JSON as it is, or must be looked at: quotes, backslashes, controls, non-ASCII. */
export function unquotable(four: number): number {
  return (zeros(four ^ 0x22222222) | zeros(four ^ 0x5c5c5c5c) | ((four - 0x20202020) & ~four) | four) & highBits
}

/** Looks for pipes. */
export function pipes(four: number): number {
  return zeros(four ^ 0x7c7c7c7c) & highBits
}

/** @returns how many bytes come before the first that was found */
export function firstOf(found: number): number {
  return (31 - Math.clz32(found & -found)) >> 3
}

function zeros(four: number): number {
  return (four - 0x01010101) & ~four
}
