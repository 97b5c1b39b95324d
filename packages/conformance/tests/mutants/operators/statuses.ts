import { type Operation, operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { alterResponse, swapStatus } from '../alter-calls.ts'
import { mutant, onOperations, type ServerUnderTest } from '../mutant.ts'
import { contractLists, requirementIdOf } from '../requirements.ts'

/**
 * For each status, a replacement with a different meaning, and the requirements that the swap breaks. The sentences about the code of
 * that status are not among them: without such a response, they say nothing.
 */
const swaps: Readonly<Record<string, readonly [to: number, breaks: (operation: Operation) => readonly string[]]>> = {
  200: [202, () => ['200']],
  204: [202, () => ['204']],
  // Not 422 and 400: a server that states both may choose between them.
  400: [409, () => ['400']],
  422: [409, () => ['422']],
  401: [403, ({ interface: of }) => (of === 'logging' ? ['401-missing'] : ['401-missing', '401'])],
  403: [401, () => ['403-suspended', '403-disabled', 'authentication.invalid']],
  404: [400, () => ['404']],
  429: [403, () => ['rate-limit.429']],
}

/** Requirements of a whole interface, if an operation has none of its own. */
const sharedEnds: Readonly<Record<string, string>> = { '401-missing': 'authentication.missing' }

/** Mutants that replace a documented status that a request can provoke. */
const swapped = operations.flatMap((operation) => {
  // If the contract lists several successes, a plain request gets the first.
  const first = operation.responses.find(({ status }) => status.startsWith('2'))?.status
  return operation.responses
    .filter(({ status }) => !status.startsWith('2') || status === first)
    .flatMap(({ status }) => {
      const [to, breaks] = swaps[status] ?? []
      if (to === undefined || !breaks) return []
      const ids = breaks(operation).map((end) => requirementIdOf(operation, end, sharedEnds[end] ?? end))
      const behaviour = alterResponse([operation.name], swapStatus(Number(status), to))
      return [mutant(`status.${operation.name}.${status}-${to}`, ids, behaviour)]
    })
})

/** Mutants that answer 500 to the first, third, fifth ... request. The other requests succeed, so that a write can still be undone. */
const failing = operations.map((operation) => {
  const success = assertDefined(operation.responses.find(({ status }) => status.startsWith('2'))).status
  const behaviour = onOperations([operation.name], () => {
    let requests = 0
    return async (call, stated, next) =>
      requests++ % 2 === 0 ? { status: 500, headers: {}, body: null } : next(call, stated)
  })
  const end = contractLists(operation, '2xx') ? '2xx' : success
  // A request without a valid credential gets a 500, too, although the spec states another status.
  const refusals =
    operation.interface === 'logging' ? ['401-missing', 'authentication.invalid'] : ['401-missing', '401']
  const ids = [end, ...refusals].map((one) => requirementIdOf(operation, one, sharedEnds[one] ?? one))
  return mutant(`status.${operation.name}.fails`, ids, behaviour)
})

export const statusMutants: readonly ServerUnderTest[] = [...swapped, ...failing]
