import type { Operation } from '@cdn/api/contract'
import type { EmulatorRequest, EmulatorResponse } from '../http/messages.ts'

/** Serves a request according to an operation, as the contract states it or a fault has altered it. */
export type Serve = (call: EmulatorRequest, operation: Operation) => Promise<EmulatorResponse>

/**
 * A failure of a server or of the connection to it. A fault sits between the caller and the platform. It can respond itself,
 * or alter the request, the response, or the operation that the platform applies (another rate limit, other scopes).
 */
export interface Fault {
  readonly name: string
  /** What goes wrong, in one sentence. */
  readonly text: string
  around(call: EmulatorRequest, operation: Operation, next: Serve): Promise<EmulatorResponse>
}

/**
 * Wraps the platform in faults.
 *
 * @param faults from the platform outwards: the last one is nearest to the caller
 */
export function surround(serve: Serve, faults: readonly Fault[]): Serve {
  return faults.reduce<Serve>((next, fault) => (call, operation) => fault.around(call, operation, next), serve)
}
