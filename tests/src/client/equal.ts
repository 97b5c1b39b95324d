/** The two assertions of the suite. They are our own, because no test framework runs in every runtime. */

/** @throws Error if the condition does not hold */
export function ok(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`not so: ${what}`)
}

/** @throws Error with both values if they are not the same */
export function equal(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) throw new Error(`${String(actual)} instead of ${String(expected)}`)
}
