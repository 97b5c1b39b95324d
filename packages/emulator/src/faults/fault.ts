import type { Operation } from '@cdn/api/contract'
import type { EmulatorRequest, EmulatorResponse } from '../http/messages.ts'

/** Serves a request according to an operation. A fault may have altered the operation, so it can differ from the contract. */
export type Serve = (call: EmulatorRequest, operation: Operation) => Promise<EmulatorResponse>

/**
 * A failure of a server or of the connection to it. A fault sits between the caller and the platform. A fault can respond in
 * place of the platform. It can also alter the request, the response, or the operation that the platform applies (for example
 * its rate limit or its scopes).
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
 * @param faults ordered from the platform to the caller: the last one is nearest to the caller
 */
export function surround(serve: Serve, faults: readonly Fault[]): Serve {
  return faults.reduce<Serve>((next, fault) => (call, operation) => fault.around(call, operation, next), serve)
}
