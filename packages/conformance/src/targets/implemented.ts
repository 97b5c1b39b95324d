import { implemented } from '@cdn/emulator'
import { Skip } from '../core/failure.ts'
import { type Bases, requestedOperation } from '../core/requested-operation.ts'
import { toRequest } from '../core/to-request.ts'

/**
 * Skips a check of an operation that the emulator does not implement yet. The emulator answers 501 to such an
 * operation, which proves nothing.
 *
 * @param send sends a request to the emulator
 * @param bases addresses of the emulator's interfaces
 * @returns a fetch that throws Skip for an operation without a handler
 */
export function onlyImplemented(send: typeof fetch, bases: Bases): typeof fetch {
  return async (input, init) => {
    const request = toRequest(input, init)
    const operation = requestedOperation(request, bases)?.operation
    if (operation && !implemented.has(operation.name))
      throw new Skip(`the emulator does not implement ${operation.name} yet: it has no handler of that name`)
    return send(request)
  }
}
