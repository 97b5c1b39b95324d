/** The two assertions of the suite, which run in every runtime. */

/** @throws Error if the condition does not hold */
export function ok(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`expected: ${what}`)
}

/** @throws Error with both values if they are not the same */
export function equal(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) throw new Error(`${String(actual)} instead of ${String(expected)}`)
}
