import { contracts, type Operation, type OperationShape, type Response, type Source } from '@cdn/api/contract'
import { createValidators } from '@cdn/kit/contract-validator'
import { defined } from '@cdn/kit/defined'
import { isOfGateway, matchesStatus, type ReceivedResponse, snippet } from '../core/answer.ts'
import { parseOrUndefined } from '../core/read-json.ts'

/** The layers of the contract that an answer is validated against: the spec alone, or with the supplement. */
type Layer = 'document' | 'full'

const validatorOf = createValidators(false)

/** A breach of one layer of the contract. `source` is the source that the layer represents. */
export interface Breach {
  readonly source: Source
  readonly message: string
}

/**
 * Validates an answer against both layers of the contract: the status, the error code, and the body if the contract has
 * a schema. A 4xx that a layer does not list is an observation, not a breach.
 *
 * @param operation the requested operation; validated against the spec only if the spec describes it
 */
export function validateAnswer(operation: Operation, answer: ReceivedResponse): Breach[] {
  if (isOfGateway(answer)) return []
  return layersOf(operation).flatMap(([layer, source]) => {
    const message =
      judgeStatus(operation, layer, answer) ??
      validateCode(operation, layer, answer) ??
      validateBody(operation, layer, answer)
    return message ? [{ source, message }] : []
  })
}

/**
 * Returns the requirements about server errors that an invalid 500 answer breaks. No check can provoke a server error,
 * so these requirements are verified only when a server error happens.
 *
 * @returns the ids of the operation's requirement `500` and of the requirement about the error code of that status
 */
export function unprovokedBy(
  { interface: name, name: operation, responses }: Operation,
  { status }: ReceivedResponse,
): string[] {
  if (status !== 500) return []
  const code = responses.find((response) => response.status === '500')?.errorCode
  const ids = [`${name}.${operation}.500`, ...(code ? [`${name}.errors.${code.replaceAll('_', '-')}`] : [])]
  return ids.filter((id) => contracts[name].requirements.some((requirement) => requirement.id === id))
}

/** Whether the full contract lists the status. */
export function isListedStatus(operation: Operation, status: number): boolean {
  return operation.responses.some((response) => matchesStatus(response.status, status))
}

function layersOf(operation: Operation): (readonly [Layer, Source])[] {
  return [...(operation.documented ? [['document', 'spec'] as const] : []), ['full', 'supplement'] as const]
}

function shapeOf(operation: Operation, layer: Layer): OperationShape | undefined {
  return layer === 'document' ? operation.documented : operation
}

function judgeStatus(operation: Operation, layer: Layer, { status }: ReceivedResponse): string | undefined {
  const isStated = statedResponse(shapeOf(operation, layer), status) !== undefined
  return isStated || (status >= 400 && status < 500)
    ? undefined
    : `status ${status} is not stated for ${operation.name}`
}

/**
 * Whether an answer carries the code. The place of the code is unspecified: it may be a string in a JSON body, a header,
 * or a word of a text. Codes are English words, so a word within a sentence in a JSON body does not count.
 */
export function carriesCode(answer: ReceivedResponse, code: string): boolean {
  if ([...answer.headers.values()].includes(code)) return true
  const body = parse(answer)
  return body !== undefined ? holds(body, code) : new RegExp(`(?<!\\w)${code}(?!\\w)`).test(answer.text)
}

function holds(value: unknown, code: string): boolean {
  if (typeof value !== 'object' || value === null) return value === code
  return Object.values(value).some((inner) => holds(inner, code))
}

/** Detects an answer that lacks the code of its status, or has the code of another status. */
function validateCode(operation: Operation, layer: Layer, answer: ReceivedResponse): string | undefined {
  const shape = shapeOf(operation, layer)
  const code = statedResponse(shape, answer.status)?.errorCode
  // The code of a 404 for an unknown pull zone is unspecified.
  if (code === undefined || answer.status === 404 || carriesCode(answer, code)) return undefined
  const codes = shape?.responses.flatMap(({ errorCode }) => errorCode ?? [])
  const other = codes?.find((candidate) => carriesCode(answer, candidate))
  const instead = other === undefined ? `without the code ${code}` : `with the code ${other} instead of ${code}`
  return `a ${answer.status} ${instead}`
}

/**
 * Validates the body of an answer against the schema of one layer. An empty body is invalid only for a success with a
 * schema. Errors often have no body (supplement), and separate checks verify error bodies.
 *
 * @returns the problem, or undefined
 */
export function validateBody(operation: Operation, layer: Layer, answer: ReceivedResponse): string | undefined {
  const response = statedResponse(shapeOf(operation, layer), answer.status)
  if (!response) return undefined
  if (response.status === '204' && answer.text !== '') return `a body with a 204: ${snippet(answer.text)}`
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const stated = Object.entries(response.content)
  // An answer of another type than a stated one should be JSON.
  const [mediaType, schema] = stated.find(([name]) => name === type) ?? stated.find(([name]) => isJson(name)) ?? []
  if (!schema || !isJson(mediaType)) return undefined
  if (answer.text === '') return answer.status < 300 ? `an empty body with a ${answer.status}` : undefined
  const body = parse(answer)
  if (body === undefined) return `a body that is not JSON with a ${answer.status}: ${snippet(answer.text)}`
  const validate = validatorOf(schema, contracts[operation.interface].openapi[layer])
  if (validate(body)) return undefined
  const { instancePath, message = 'does not match its schema' } = defined(validate.errors?.[0])
  return `the body of the ${answer.status}: ${instancePath || 'it'} ${message}`
}

function isJson(mediaType = ''): boolean {
  return mediaType.includes('json')
}

const bodies = new WeakMap<ReceivedResponse, unknown>()

/** Parses the body; undefined if it is not JSON. Both layers validate the same answer, so the result is cached. */
function parse(answer: ReceivedResponse): unknown {
  if (!bodies.has(answer)) bodies.set(answer, parseOrUndefined(answer.text))
  return bodies.get(answer)
}

function statedResponse(shape: OperationShape | undefined, status: number): Response | undefined {
  const stated = shape?.responses.filter((response) => matchesStatus(response.status, status)) ?? []
  return stated.find((response) => response.status === String(status)) ?? stated[0]
}
