import type { InterfaceName } from '@cdn/api/contract'
import { implemented } from '@cdn/emulator'
import { Skip } from '../failure.ts'
import { requestedOperation } from '../requested-operation.ts'

/**
 * Keeps a check from what the emulator does not have yet: an operation without a handler is answered 501, which says
 * nothing about the check.
 *
 * @param send sends a request to the emulator
 * @param bases where its interfaces are
 * @returns throws Skip for an operation that has no handler
 */
export function onlyImplemented(send: typeof fetch, bases: Readonly<Record<InterfaceName, URL>>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const operation = requestedOperation(request, bases)
    if (operation && !implemented.has(operation.name))
      throw new Skip(`the emulator does not have ${operation.name} yet: it has no handler of that name`)
    return send(request)
  }
}
