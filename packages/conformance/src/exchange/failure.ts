import { networkReason } from '@cdn/kit/network-reason'
import type { CaseCall } from './case.ts'

/** The target breaks the requirement: outcome `fail`. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly expected: string
  readonly seen: string
  /** The smallest calls that still fail, if the check generates cases. */
  readonly calls: readonly CaseCall[]

  constructor(expected: string, seen: string, calls: readonly CaseCall[] = []) {
    super(`expected ${expected}, saw ${seen}`)
    this.expected = expected
    this.seen = seen
    this.calls = calls
  }
}

/** The target or the fixtures do not allow the observation: outcome `skip`. */
export class Skip extends Error {
  override readonly name: string = 'Skip'
}

/** The response to a write was lost. The platform may have executed the write, so it is not repeated. */
export class LostResponse extends Skip {
  override readonly name = 'LostResponse'
}

/** The target is unavailable or has a transient error: outcome `error`. This proves nothing about the requirement. */
export class TargetUnavailable extends Error {
  override readonly name = 'TargetUnavailable'
}

/** The user's configuration is invalid. The message is one sentence, and the exit code is 2. */
export class SuiteConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** The set-up of a live run is wrong. There is one sentence per problem, the exit code is 2, and no check runs. */
export class SetupError extends SuiteConfigurationError {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(' '))
    this.problems = problems
  }
}

/**
 * Fails the check unless the condition holds.
 *
 * @param expected the expected observation, as a noun phrase
 * @param seen the actual observation; a function if it is expensive to compute
 * @throws Failure
 */
export function expect(holds: boolean, expected: string, seen: string | (() => string)): asserts holds {
  if (!holds) throw new Failure(expected, typeof seen === 'string' ? seen : seen())
}

/**
 * Returns a fixture that the check requires.
 *
 * @throws Skip with the name of the fixture, if it is missing
 */
export function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Skip(`the fixtures have no ${name}`)
  return value
}

/** The message of the innermost cause of an error, without a stack. */
export function reasonOf(error: unknown): string {
  const reason = networkReason(error)
  if (reason?.startsWith('the proxy')) return reason
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0]
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}
