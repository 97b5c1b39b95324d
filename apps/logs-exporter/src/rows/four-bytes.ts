/**
 * Four bytes of a text looked at in one go: a result has the highest bit of a byte set for each one that is looked for. Only the
 * first of them, from the lowest byte on, is sure.
 */

/** Looks for bytes that are 0. */
export function zeros(four: number): number {
  return (four - 0x01010101) & ~four & 0x80808080
}

/** Looks for control characters. */
export function controls(four: number): number {
  return (four - 0x20202020) & ~four & 0x80808080
}

/** @returns how many bytes come before the first that was found */
export function firstOf(found: number): number {
  return (31 - Math.clz32(found & -found)) >> 3
}
