import { type Operation, operations } from '@cdn/api/contract'
import { keepBody } from '../alter-calls.ts'
import { mutant, onOperations, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'

/** Stands for a body without a Content-Type. */
const untyped = 'no Content-Type'

/** Input on which careless servers fail: expressions for a percent-encoded URL, a JSON body, or its Content-Type. */
const fatal: Readonly<Record<string, RegExp>> = {
  nul: /%00|\\u0000/,
  long: /^.{32000}/su,
  untyped: new RegExp(`^${untyped}$`),
  foreign: /%F0%9F|\u{1f600}/u,
}

/** The requirement 400, if the query has a time: odd text is an invalid time, and the mutant answers 500 to it. */
function refusalOf({ interface: of, name, parameters }: Operation): string[] {
  const isTyped = parameters.some(({ in: place, schema }) => place === 'query' && schema['format'] === 'date-time')
  return isTyped ? [`${of}.${name}.400`] : []
}

/** Mutants that fail with 500 on an odd path, query or body. */
export const robustnessMutants: readonly ServerUnderTest[] = operations.flatMap((operation) =>
  Object.entries(fatal)
    .filter(([name]) => name !== 'untyped' || operation.requestBody?.content['application/json'])
    .map(([name, expression]) =>
      mutant(
        `robustness.${operation.name}.${name}`,
        [requirementIdOf(operation, 'robustness'), ...refusalOf(operation)],
        onOperations([operation.name], () => async (received, stated, next) => {
          const call = keepBody(received)
          const body = new TextDecoder().decode(await call.body())
          const type = body === '' ? '' : (call.headers.get('content-type') ?? untyped)
          const isFatal = [`${call.path}?${call.query}`, body, type].some((sent) => expression.test(sent))
          return isFatal ? { status: 500, headers: {}, body: null } : next(call, stated)
        }),
      ),
    ),
)
