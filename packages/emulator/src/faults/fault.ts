import type { Operation } from '@cdn/api/contract'
import type { Answer, Call } from '../http/call.ts'

/** Handles a call by an operation as the contract (or a fault) states it. */
export type Serve = (call: Call, operation: Operation) => Promise<Answer>

/**
 * Something that a server or the way to it can do wrong. A fault stands between the caller and the platform: it may answer
 * itself, alter the call, the answer, or the operation that the platform works by (another rate limit, other scopes).
 */
export interface Fault {
  readonly name: string
  /** What goes wrong, in one sentence. */
  readonly text: string
  around(call: Call, operation: Operation, next: Serve): Promise<Answer>
}

/**
 * The platform with faults around it.
 *
 * @param faults the last one is nearest to the caller
 */
export function surround(serve: Serve, faults: readonly Fault[]): Serve {
  return faults.reduce<Serve>((next, fault) => (call, operation) => fault.around(call, operation, next), serve)
}
