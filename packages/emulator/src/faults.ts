import type { Operation } from '@cdn/api/contract'
import type { Answer, Call } from './http/call.ts'
import { refuse } from './http/refuse.ts'

/** Handles a call by an operation as the contract (or a fault) states it. */
export type Serve = (call: Call, operation: Operation) => Promise<Answer>

/**
 * Something that a server can do wrong. A fault stands between the caller and the platform: it may answer itself, alter
 * the call, the answer, or the operation that the platform works by (another rate limit, other scopes).
 */
export interface Fault {
  readonly name: string
  /** What goes wrong, in one sentence. */
  readonly text: string
  around(call: Call, operation: Operation, next: Serve): Promise<Answer>
}

/** The faults that are on. */
export interface Faults {
  /** Switches a fault on; the function it gives switches it off again. */
  add(fault: Fault): () => void
  active(): readonly Fault[]
  clear(): void
}

/** No fault on. Where several are, the one added last is nearest to the caller. */
export function createFaults(): Faults & { wrap(serve: Serve): Serve } {
  const faults = new Set<Fault>()
  return {
    add(fault) {
      faults.add(fault)
      return () => void faults.delete(fault)
    },
    active: () => [...faults],
    clear: () => faults.clear(),
    wrap: (serve) => (call, operation) =>
      [...faults].reduce<Serve>((next, fault) => (c, o) => fault.around(c, o, next), serve)(call, operation),
  }
}

/**
 * The documented internal error: an operation answers 500 with its body and without effect.
 *
 * @param operationName `x-name` of the operation
 */
export function internalError(operationName: string): Fault {
  return {
    name: `internal-error:${operationName}`,
    text: `Every ${operationName} is answered with the documented internal server error and has no effect.`,
    around: async (call, operation, next) =>
      operation.name === operationName
        ? refuse(operation, 500, { message: 'The server failed.' })
        : next(call, operation),
  }
}
