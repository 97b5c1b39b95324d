import { innermostCause, messageOf } from '@cdn/kit/error-message'
import { networkReason } from '@cdn/kit/network-reason'
import type { Schemas } from '../gen/schemas.ts'
import type { CaseCall } from './case.ts'
import type { ReceivedResponse } from './exchange.ts'

/** What the contract requires, as data. Only `report/` makes sentences of it. */
export type Expected = Schemas['Expected']
/** What a check saw, as data. Only `report/` makes sentences of it. */
export type Seen = Schemas['Seen']
/** An element of a body and its place, such as `data[0].cacheStatus`. */
export type Place = Schemas['Place']

/** The evidence of a failure. */
export interface Proof {
  /** The responses that show the failure. Their exchanges are the evidence. By default, the evidence is the last exchanges of the check. */
  readonly responses?: readonly ReceivedResponse[]
  /** The smallest calls that still fail, if the check generates cases. */
  readonly calls?: readonly CaseCall[]
  /** Names of the parameters and fields of the request that shows the failure. */
  readonly parameters?: readonly string[]
}

/** The target breaks the requirement: outcome `fail`. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly expected: Expected
  readonly seen: Seen
  readonly proof: Proof

  constructor(expected: Expected, seen: Seen, proof: Proof = {}) {
    super('the target breaks a requirement')
    this.expected = expected
    this.seen = seen
    this.proof = proof
  }
}

/** @param what the request that must succeed */
export function success(what?: string): Expected {
  return { kind: 'success', ...(what !== undefined && { for: what }) }
}

/** @param what the request that must be refused */
export function refusal(what?: string): Expected {
  return { kind: 'refusal', ...(what !== undefined && { for: what }) }
}

/** @param what the request that must be answered with one of the statuses, such as `204` or `2XX` */
export function oneStatus(statuses: readonly (string | number)[], what?: string): Expected {
  return { kind: 'status', statuses: statuses.map(String), ...(what !== undefined && { for: what }) }
}

/** @param text the content or the state, as a noun phrase */
export function value(text: string): Expected {
  return { kind: 'value', text }
}

/** Maximum number of characters of an element in the evidence. */
const maxElement = 1_000

/**
 * Describes a wrong content. Long elements are cut.
 *
 * @param what a clause with a subject, without any text of the target: equal mistakes have equal clauses
 */
export function wrong(what: string, details: Omit<Extract<Seen, { kind: 'value' }>, 'kind' | 'what'> = {}): Seen {
  const at = details.at?.map(({ path, text }) => ({
    path,
    text: text.length > maxElement ? `${text.slice(0, maxElement)}…` : text,
  }))
  return { kind: 'value', what, ...details, ...(at && { at }) }
}

/** The target or the fixtures do not allow the observation: outcome `skip`. */
export class Skip extends Error {
  override readonly name: string = 'Skip'
}

/** Ignores a Skip, and throws any other error. */
export function ignoreSkip(error: unknown): undefined {
  if (!(error instanceof Skip)) throw error
}

/** The check sent its requests, and no response was of the kind that it judges, so that nothing could be wrong. */
export class NothingToJudge extends Skip {
  override readonly name = 'NothingToJudge'
}

/** The response to a write was lost. The platform may have executed the write, so it is not repeated. */
export class LostResponse extends Skip {
  override readonly name = 'LostResponse'
}

/** The target is unavailable or has a transient error: outcome `error`. This proves nothing about the requirement. */
export class TargetUnavailable extends Error {
  override readonly name = 'TargetUnavailable'
  /** The error response of a gateway, if there is one. */
  readonly response: ReceivedResponse | undefined

  constructor(message: string, { response, ...options }: ErrorOptions & { readonly response?: ReceivedResponse } = {}) {
    super(message, options)
    this.response = response
  }
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

/** Returns a text that is equal for equal mistakes. It has no values and no bodies of the target. */
export function mistakeKey(seen: Seen): string {
  switch (seen.kind) {
    case 'status':
      return `status ${seen.status} ${seen.body}`
    case 'silence':
    case 'fault':
      return seen.kind
    case 'state':
      return `${seen.path} ${seen.field} ${seen.how ?? ''}`
    case 'value':
      return `${seen.what} ${seen.field ?? ''}`
  }
}

/** Adds to an expectation the request that it is about. */
export function forRequest(expected: Expected, what: string): Expected {
  return expected.kind === 'value' ? value(`${expected.text} for ${what}`) : { ...expected, for: what }
}

/** Marks an observation that the check did not see again when it repeated the request. */
export function seenOnce(seen: Seen): Seen {
  return seen.kind === 'status' || seen.kind === 'value' ? { ...seen, once: true } : seen
}

/**
 * Fails the check unless the condition holds.
 *
 * @param seen a function if it is expensive to compute
 * @throws Failure
 */
export function expect(holds: boolean, expected: Expected, seen: Seen | (() => Seen), proof?: Proof): asserts holds {
  if (!holds) throw new Failure(expected, typeof seen === 'function' ? seen() : seen, proof)
}

/**
 * Returns a fixture that the check requires.
 *
 * @throws Skip with the name of the fixture, if it is missing
 */
export function requireOrSkip<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Skip(`the fixtures have no ${name}`)
  return value
}

/** Returns the message of the innermost cause of an error, without a stack; for a failure of a proxy, a sentence about the proxy. */
export function errorReason(error: unknown): string {
  const reason = networkReason(error)
  if (reason?.startsWith('the proxy')) return reason
  let inner = innermostCause(error)
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0]
  return messageOf(inner) || (inner instanceof Error ? inner.name : 'unknown error')
}
