import { type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { alterResponse, editJson, editText, type JsonObject } from '../alter.ts'
import { mutant, type ServerUnderTest } from '../mutant.ts'
import { isListed, requirementIdOf, toSlug } from '../requirements.ts'

const management = operations.filter((operation) => operation.interface === 'management')
const logging = operations.filter((operation) => operation.interface === 'logging')
const names = management.map(({ name }) => name)

/** The fields of the management interface's error body (§2), and the statuses that a request can provoke. */
const fields = ['ErrorKey', 'Field', 'Message']
const statuses = [400, 401, 404]

/** Mutants with wrong error bodies of the management interface: a wrong type, a missing or renamed field, or another shape. */
export const errorBodyMutants: readonly ServerUnderTest[] = [
  ...statuses.flatMap((status) => [
    ...fields.map((field) =>
      mutant(
        `error.${status}.${toSlug(field)}-number`,
        `${field} of a ${status} is a number.`,
        [`management.errors.${toSlug(field)}`],
        alterResponse(names, (response) => editJson(response, status, (body) => ({ ...body, [field]: 7 }))),
      ),
    ),
    mutant(
      `error.${status}.array`,
      `The body of a ${status} is an array of errors.`,
      ['management.errors.object'],
      alterResponse(names, (response) => editJson(response, status, (body) => [body])),
    ),
  ]),
  ...management
    .filter((operation) => isListed(operation, 'error-body'))
    .flatMap((operation) => fields.flatMap((field) => [dropped(operation, field), renamed(operation, field)])),
]

function dropped(operation: Operation, field: string): ServerUnderTest {
  return mutant(
    `error.${operation.name}.${toSlug(field)}-dropped`,
    `The error body of ${operation.name} has no ${field}.`,
    [requirementIdOf(operation, 'error-body')],
    alterResponse([operation.name], (response) => editJson(response, 400, ({ [field]: _, ...others }) => others)),
  )
}

function renamed(operation: Operation, field: string): ServerUnderTest {
  const other = field.charAt(0).toLowerCase() + field.slice(1)
  return mutant(
    `error.${operation.name}.${toSlug(field)}-renamed`,
    `The error body of ${operation.name} has ${other} instead of ${field}.`,
    [requirementIdOf(operation, 'error-body')],
    alterResponse([operation.name], (response) =>
      editJson(response, 400, ({ [field]: value, ...others }) => ({ ...others, [other]: value })),
    ),
  )
}

/** A status that no request can provoke. */
const unearned = '500'

/** Mutants that rename, swap or omit a documented error code of the logging interface. */
export const errorCodeMutants: readonly ServerUnderTest[] = logging.flatMap((operation) => {
  const coded = operation.responses.flatMap(({ status, errorCode: code }) =>
    code && status !== unearned ? [{ status, code }] : [],
  )
  return coded.flatMap(({ status, code }, index) => {
    const { code: neighbour } = defined(coded[(index + 1) % coded.length])
    const topic = `errors.${code.replaceAll('_', '-')}`
    const breaks = [
      requirementIdOf(operation, topic, topic),
      ...(operation.name === 'query-logs' ? [requirementIdOf(operation, 'error-place')] : []),
    ]
    const altered = (kind: string, what: string, change: (text: string) => string) =>
      mutant(
        `code.${operation.name}.${code}-${kind}`,
        `The ${status} of ${operation.name} carries ${what}.`,
        breaks,
        alterResponse([operation.name], (response) => editText(response, Number(status), change)),
      )
    return [
      altered('renamed', `the code ${code}_error`, (text) => text.replace(code, `${code}_error`)),
      altered('swapped', `the code ${neighbour}`, (text) => text.replace(code, neighbour)),
      altered('dropped', 'no code', (text) => {
        const { error }: { error: JsonObject } = JSON.parse(text)
        return JSON.stringify({ error: { message: error['message'] } })
      }),
    ]
  })
})

/** Mutants that state the JSON of an error as HTML. */
export const errorTypeMutants: readonly ServerUnderTest[] = operations
  .filter(({ schemes }) => schemes.length > 0)
  .map((operation) =>
    mutant(
      `error.${operation.name}.type`,
      `${operation.name} states the JSON of an error as HTML.`,
      [requirementIdOf(operation, 'encoding')],
      alterResponse([operation.name], (response) =>
        response.status >= 400
          ? { ...response, headers: { ...response.headers, 'content-type': 'text/html' } }
          : response,
      ),
    ),
  )
