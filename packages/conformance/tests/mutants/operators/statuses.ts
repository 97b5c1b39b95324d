import { type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { alterResponse, swapStatus } from '../alter.ts'
import { mutant, on, type ServerUnderTest } from '../mutant.ts'
import { isListed, requirementIdOf } from '../requirements.ts'

/**
 * For each status, a replacement with a different meaning, and the requirements that the swap breaks. The sentences about the code of
 * that status are not among them: without such a response, they say nothing.
 */
const swaps: Readonly<Record<string, { to: number; breaks(operation: Operation): readonly string[] }>> = {
  200: { to: 202, breaks: (operation) => [requirementIdOf(operation, '200')] },
  204: { to: 202, breaks: (operation) => [requirementIdOf(operation, '204')] },
  400: {
    to: 422,
    breaks: (operation) => [requirementIdOf(operation, '400')],
  },
  401: {
    to: 403,
    breaks: (operation) => [
      requirementIdOf(operation, '401-missing', 'authentication.missing'),
      ...(operation.interface === 'logging' ? [] : [requirementIdOf(operation, '401')]),
    ],
  },
  403: {
    to: 401,
    breaks: (operation) =>
      ['403-suspended', '403-disabled', 'authentication.invalid'].map((slug) => requirementIdOf(operation, slug, slug)),
  },
  404: { to: 400, breaks: (operation) => [requirementIdOf(operation, '404')] },
  429: { to: 403, breaks: (operation) => [requirementIdOf(operation, 'rate-limit.429', 'rate-limit.429')] },
}

/** Mutants that replace a documented status that a request can provoke, and mutants in which an operation fails. */
export const statusMutants: readonly ServerUnderTest[] = operations.flatMap((operation) => [
  ...operation.responses.flatMap(({ status }) => swapped(operation, status)),
  failing(operation),
])

function swapped(operation: Operation, status: string): ServerUnderTest[] {
  const swap = swaps[status]
  // If the contract lists several successes, a plain request gets the first.
  const first = operation.responses.find((response) => response.status.startsWith('2'))?.status
  if (!swap || (status.startsWith('2') && status !== first)) return []
  const id = `status.${operation.name}.${status}-${swap.to}`
  const text = `${operation.name} answers ${swap.to} where ${status} is right.`
  return [
    mutant(id, text, swap.breaks(operation), alterResponse([operation.name], swapStatus(Number(status), swap.to))),
  ]
}

/** Creates a mutant in which every other request fails. The other requests succeed, so that a write can still be undone. */
function failing(operation: Operation): ServerUnderTest {
  const [success] = operation.responses.filter(({ status }) => status.startsWith('2'))
  const slug = isListed(operation, '2xx') ? '2xx' : defined(success).status
  return mutant(
    `status.${operation.name}.fails`,
    `Every other request to ${operation.name} fails with 500, the first one too.`,
    [requirementIdOf(operation, slug)],
    on([operation.name], () => {
      let requests = 0
      return async (call, stated, next) =>
        requests++ % 2 === 0 ? { status: 500, headers: {}, body: null } : next(call, stated)
    }),
  )
}
