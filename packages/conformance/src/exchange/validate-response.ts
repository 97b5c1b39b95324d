import {
  contracts,
  type OpenApi,
  type Operation,
  type OperationShape,
  type Response,
  type Source,
} from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { createValidators } from '@cdn/kit/contract-validator'
import { memoize } from '@cdn/kit/memoize'
import type { ReceivedResponse } from './exchange.ts'
import { type Expected, oneStatus, type Seen, value, wrong } from './failure.ts'
import { isOfGateway, matchesStatus, parseBody, placesIn, roundedBody, seenStatus, snippet } from './response.ts'

const validatorOf = createValidators(false)

/** A breach of one layer of the contract. `source` is the source that the layer represents. */
export interface Breach {
  readonly source: Source
  /** Ids of the broken requirements about server errors, which no check can provoke; empty for any other breach. */
  readonly requirements: readonly string[]
  readonly expected: Expected
  readonly seen: Seen
}

/**
 * Validates a response against both layers of the contract: the status, the error code, and the body if the contract has
 * a schema. A status that a layer does not list and that may be right is an observation, not a breach.
 *
 * @param operation the requested operation; validated against the spec only if the spec describes it
 */
export function validateResponse(operation: Operation, response: ReceivedResponse): Breach[] {
  if (isOfGateway(response)) return []
  const { spec, interface: of } = operation
  const { openapi } = contracts[of]
  const breachOf = (source: Source, shape: OperationShape, api: OpenApi) => {
    const problem = validateStatus(operation, shape, response) ?? validateCode(shape, response)
    const seen = problem?.seen ?? bodyProblem(shape, api, response)
    if (!seen) return []
    const expected = problem?.expected ?? value('a body that matches its schema')
    return [{ source, requirements: source === 'spec' ? unprovokedBy(operation, response) : [], expected, seen }]
  }
  return [...(spec ? breachOf('spec', spec, openapi.spec) : []), ...breachOf('supplement', operation, openapi.full)]
}

/** The ids of the operation's requirement `500` and of the requirement about the error code of that status. */
function unprovokedBy(
  { interface: name, name: operation, responses }: Operation,
  { status }: ReceivedResponse,
): string[] {
  if (status !== 500) return []
  const code = responses.find((response) => response.status === '500')?.errorCode
  const ids = [`${name}.${operation}.500`, ...(code ? [`${name}.errors.${code.replaceAll('_', '-')}`] : [])]
  return ids.filter((id) => contracts[name].requirements.some((requirement) => requirement.id === id))
}

type Problem = Pick<Breach, 'expected' | 'seen'>

function validateStatus(operation: Operation, shape: OperationShape, response: ReceivedResponse): Problem | undefined {
  const { status } = response
  if (statedResponse(shape, status) !== undefined || isOpenStatus(operation, status)) return undefined
  return { expected: oneStatus(shape.responses.map((each) => each.status)), seen: seenStatus(response) }
}

/** Whether an unlisted status may be right: any 4xx, and a success if the spec leaves open the response for an absent value. */
export function isOpenStatus({ interface: of, name }: Operation, status: number): boolean {
  if (status >= 400) return status < 500
  return (
    status >= 200 && status < 300 && contracts[of].unspecified.some(({ id }) => id.startsWith(`${of}.${name}.absent-`))
  )
}

/**
 * Whether a response carries the code. The place of the code is unspecified: it may be a string in a JSON body, a header,
 * or a word of a text. Codes are English words, so a word within a sentence in a JSON body does not count.
 */
export function carriesCode(response: ReceivedResponse, code: string): boolean {
  if ([...response.headers.values()].includes(code)) return true
  const body = parseBody(response)
  return body !== undefined ? holds(body, code) : new RegExp(`(?<!\\w)${code}(?!\\w)`).test(response.text)
}

function holds(value: unknown, code: string): boolean {
  if (typeof value !== 'object' || value === null) return value === code
  return Object.values(value).some((inner) => holds(inner, code))
}

function validateCode(shape: OperationShape, response: ReceivedResponse): Problem | undefined {
  const code = statedResponse(shape, response.status)?.errorCode
  // The code of a 404 for an unknown pull zone is unspecified.
  if (code === undefined || response.status === 404 || carriesCode(response, code)) return undefined
  const codes = shape.responses.flatMap(({ errorCode }) => errorCode ?? [])
  const other = codes.find((candidate) => carriesCode(response, candidate))
  const seen =
    other === undefined
      ? wrong('the error has no code')
      : wrong('the error has the code of another status', { text: other })
  return { expected: value(`the code ${code}`), seen }
}

/**
 * Validates the body of a response against its schema in the contract with the supplement. An empty body is invalid only for a
 * success with a schema. Errors often have no body (supplement), and separate checks verify error bodies.
 *
 * @returns the problem, or undefined
 */
export function validateBody(operation: Operation, response: ReceivedResponse): Seen | undefined {
  return bodyProblem(operation, contracts[operation.interface].openapi.full, response)
}

/** The known problem of a response's body, by the shape of its operation. The rules and the response validation both need it. */
const problemsOf = memoize((_: ReceivedResponse) => new Map<OperationShape, Seen | undefined>())

function bodyProblem(shape: OperationShape, api: OpenApi, response: ReceivedResponse): Seen | undefined {
  const known = problemsOf(response)
  if (!known.has(shape)) known.set(shape, findBodyProblem(shape, api, response))
  return known.get(shape)
}

function findBodyProblem(shape: OperationShape, api: OpenApi, response: ReceivedResponse): Seen | undefined {
  const { status, text } = response
  const statement = statedResponse(shape, status)
  if (statement?.status === '204' && text !== '') return wrong('a 204 has a body', { text: snippet(text) })
  const schema = statement && jsonSchemaOf(statement, response)
  if (!schema) return undefined
  if (text === '') return status < 300 ? seenStatus(response) : undefined
  const body = roundedBody(response)
  if (body === undefined) return seenStatus(response)
  const validate = validatorOf(schema, api)
  if (validate(body)) return undefined
  const { instancePath, message = 'does not match its schema' } = assertDefined(validate.errors?.[0])
  const names = instancePath.split('/').slice(1)
  const path = names
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./, '')
  const field = names.findLast((name) => !/^\d+$/.test(name))
  const at = placesIn(response, path)
  return wrong('the body does not match its schema', { text: message, at, ...(field !== undefined && { field }) })
}

/** Returns the schema of a JSON body. A body of a type that the contract does not state counts as JSON. */
function jsonSchemaOf({ content }: Response, { headers }: ReceivedResponse) {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const stated = Object.entries(content)
  const [mediaType, schema] = stated.find(([name]) => name === type) ?? stated.find(([name]) => isJson(name)) ?? []
  return isJson(mediaType) ? schema : undefined
}

function isJson(mediaType = ''): boolean {
  return mediaType.includes('json')
}

function statedResponse({ responses }: OperationShape, status: number): Response | undefined {
  const stated = responses.filter((response) => matchesStatus(response.status, status))
  return stated.find((response) => response.status === String(status)) ?? stated[0]
}
