/** The target did not do what the requirement says: outcome `fail`. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly expected: string
  readonly seen: string

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, saw ${seen}`)
    this.expected = expected
    this.seen = seen
  }
}

/** The target or the fixtures do not let the check look: outcome `skip`. */
export class Skip extends Error {
  override readonly name = 'Skip'
}

/** The target is away or in trouble, which says nothing about the requirement: outcome `error`. */
export class TargetUnavailable extends Error {
  override readonly name = 'TargetUnavailable'
}

/** The user's configuration is wrong: one sentence, exit code 2. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/**
 * Fails the check unless the condition holds.
 *
 * @param holds what must be true
 * @param expected what should have been seen, as a noun phrase
 * @param seen what was seen; a function where it costs something to say
 * @throws Failure
 */
export function expect(holds: boolean, expected: string, seen: string | (() => string)): asserts holds {
  if (!holds) throw new Failure(expected, typeof seen === 'string' ? seen : seen())
}

/**
 * Takes a fixture that the check cannot do without.
 *
 * @throws Skip naming what is missing
 */
export function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Skip(`the fixtures have no ${name}`)
  return value
}

/** The innermost reason of a failed fetch, without a stack. */
export function reasonOf(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0]
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}
