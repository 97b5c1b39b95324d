import { type Operation, operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { kebabCase } from '@cdn/kit/letter-case'
import { alterResponse, editJson, editText, type JsonObject } from '../alter-calls.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { contractLists, requirementIdOf } from '../requirements.ts'

const management = operations.filter((operation) => operation.interface === 'management')
const logging = operations.filter((operation) => operation.interface === 'logging')
const names = management.map(({ name }) => name)

/** The fields of the management interface's error body (§2), and the statuses that a request can provoke. */
const fields = ['ErrorKey', 'Field', 'Message']
const statuses = [400, 401, 404]

const withJson = (of: readonly string[], status: number, change: (body: JsonObject) => unknown) =>
  alterResponse(of, (response) => editJson(response, status, change))

/** Mutants with wrong error bodies of the management interface: a wrong type, a missing or renamed field, or another shape. */
export const errorBodyMutants: readonly ServerUnderTest[] = [
  ...statuses.flatMap((status) => [
    ...fields.map((field) => {
      const behaviour = withJson(names, status, (body) => ({ ...body, [field]: 7 }))
      return mutant(`error.${status}.${kebabCase(field)}-number`, [`management.errors.${kebabCase(field)}`], behaviour)
    }),
    mutant(
      `error.${status}.array`,
      ['management.errors.object'],
      withJson(names, status, (body) => [body]),
    ),
  ]),
  ...management
    .filter((operation) => contractLists(operation, 'error-body'))
    .flatMap((operation) => fields.flatMap((field) => withoutField(operation, field))),
]

function withoutField(operation: Operation, field: string): ServerUnderTest[] {
  const other = field.charAt(0).toLowerCase() + field.slice(1)
  const make = (kind: string, change: (value: unknown, others: JsonObject) => JsonObject) =>
    mutant(
      `error.${operation.name}.${kebabCase(field)}-${kind}`,
      [requirementIdOf(operation, 'error-body')],
      withJson([operation.name], 400, ({ [field]: value, ...others }) => change(value, others)),
    )
  return [make('dropped', (_, others) => others), make('renamed', (value, others) => ({ ...others, [other]: value }))]
}

/** A status that no request can provoke. */
const unearned = '500'

/** Mutants that rename, swap or omit a documented error code of the logging interface. */
export const errorCodeMutants: readonly ServerUnderTest[] = logging.flatMap((operation) => {
  const coded = operation.responses.flatMap(({ status, errorCode: code }) =>
    code && status !== unearned ? [{ status, code }] : [],
  )
  return coded.flatMap(({ status, code }, index) => {
    const { code: neighbour } = assertDefined(coded[(index + 1) % coded.length])
    const sharedEnd = `errors.${code.replaceAll('_', '-')}`
    const place = operation.name === 'query-logs' ? [requirementIdOf(operation, 'error-place')] : []
    const make = (kind: string, change: (text: string) => string) =>
      mutant(
        `code.${operation.name}.${code}-${kind}`,
        [requirementIdOf(operation, sharedEnd, sharedEnd), ...place],
        alterResponse([operation.name], (response) => editText(response, Number(status), change)),
      )
    return [
      make('renamed', (text) => text.replace(code, `${code}_error`)),
      make('swapped', (text) => text.replace(code, neighbour)),
      make('dropped', (text) => JSON.stringify({ error: { message: JSON.parse(text).error.message } })),
    ]
  })
})

/** Mutants that state the JSON of an error as HTML. */
export const errorTypeMutants: readonly ServerUnderTest[] = operations
  .filter(({ schemes }) => schemes.length > 0)
  .map((operation) =>
    mutant(
      `error.${operation.name}.type`,
      [requirementIdOf(operation, 'encoding')],
      alterResponse([operation.name], ({ headers, ...response }) => ({
        ...response,
        headers: response.status >= 400 ? { ...headers, 'content-type': 'text/html' } : headers,
      })),
    ),
  )
