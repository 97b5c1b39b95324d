/** Mutants whose response wrongly depends on `Accept` or `Accept-Encoding`. */
import { operations } from '@cdn/api/contract'
import { alterResponse } from '../alter-calls.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { contractLists, requirementIdOf } from '../requirements.ts'

export const negotiationMutants: readonly ServerUnderTest[] = operations
  .filter(({ effect }) => effect === 'read')
  .flatMap((operation) => {
    const isOfLines = operation.responses.some(({ line }) => line)
    const ends = isOfLines
      ? ['line', 'pipe-delimited']
      : ['body', ...(contractLists(operation, 'json') ? ['json'] : [])]
    const content = ends.map((end) => requirementIdOf(operation, end))
    const negotiation = requirementIdOf(operation, 'negotiation')
    return [
      mutant(
        `negotiation.${operation.name}.html`,
        [negotiation, ...content],
        alterResponse([operation.name], (response, { call }) =>
          response.status === 200 && call.headers.get('accept')?.includes('text/html')
            ? { ...response, body: '<!doctype html>', headers: { 'content-type': 'text/html' } }
            : response,
        ),
      ),
      mutant(
        `negotiation.${operation.name}.unknown-coding`,
        [negotiation],
        alterResponse([operation.name], (response, { call }) =>
          call.headers.get('accept-encoding') === 'x-unknown' ? { ...response, status: 406, body: null } : response,
        ),
      ),
    ]
  })
