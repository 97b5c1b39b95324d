/** The two assertions of the suite: no test framework runs in every runtime. */

/** @throws Error when a condition does not hold */
export function ok(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`not so: ${what}`)
}

/** @throws Error naming both values when they are not the same */
export function equal(given: unknown, wanted: unknown): void {
  if (!Object.is(given, wanted)) throw new Error(`${String(given)} instead of ${String(wanted)}`)
}
