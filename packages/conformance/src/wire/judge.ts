import {
  contracts,
  type Ground,
  type Operation,
  type OperationShape,
  type Response,
  type Schema,
} from '@cdn/api/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Answer, matchesStatus, snippet } from '../answer.ts'

/** The layers of the contract that an answer can be held against. */
type Layer = 'document' | 'full'

const ajv = new Ajv2020({ strict: false, allErrors: false, formats: { int32: true, int64: true, binary: true } })
addFormats.default(ajv)
const compiled = new WeakMap<Schema, ValidateFunction>()

/** A breach of one layer of the contract, by whom that layer speaks for. */
export interface Breach {
  readonly ground: Ground
  readonly message: string
}

/**
 * Holds an answer against both layers of the contract: its status, and its body where the contract shows one. A 4xx that
 * a layer does not list is no breach, but something to observe.
 *
 * @param operation what was called; judged by the document only where the document shows it
 */
export function judgeAnswer(operation: Operation, answer: Answer): Breach[] {
  return layersOf(operation).flatMap(([layer, ground]) => {
    const message =
      judgeStatus(operation, layer, answer) ??
      judgeCode(operation, layer, answer) ??
      judgeBody(operation, layer, answer)
    return message ? [{ ground, message }] : []
  })
}

/** Whether the full contract lists the status. */
export function isListedStatus(operation: Operation, status: number): boolean {
  return operation.responses.some((response) => matchesStatus(response.status, status))
}

function layersOf(operation: Operation): (readonly [Layer, Ground])[] {
  return [...(operation.documented ? [['document', 'document'] as const] : []), ['full', 'supplement'] as const]
}

function shapeOf(operation: Operation, layer: Layer): OperationShape | undefined {
  return layer === 'document' ? operation.documented : operation
}

function judgeStatus(operation: Operation, layer: Layer, { status }: Answer): string | undefined {
  const stated = shapeOf(operation, layer)?.responses ?? []
  if (status >= 400 && status < 500) return undefined
  if ([502, 503, 504].includes(status)) return undefined // trouble on the way, which the call reports
  if (stated.some((response) => matchesStatus(response.status, status))) return undefined
  return `status ${status} is not stated for ${operation.name}`
}

/** Whether the code stands anywhere in the answer, as a word of its own: its place is not shown. */
export function carriesCode(answer: Answer, code: string): boolean {
  const whole = [answer.text, ...answer.headers.values()].join('\n')
  return new RegExp(`(?<!\\w)${code}(?!\\w)`).test(whole)
}

/** An answer that lacks the code of its status, or has that of another one. */
function judgeCode(operation: Operation, layer: Layer, answer: Answer): string | undefined {
  const shape = shapeOf(operation, layer)
  const code = statedResponse(shape, answer.status)?.errorCode
  // What a 404 for a pull zone that does not exist carries, nobody says.
  if (code === undefined || answer.status === 404 || carriesCode(answer, code)) return undefined
  const codes = shape?.responses.flatMap(({ errorCode }) => errorCode ?? []) ?? []
  const other = codes.find((candidate) => carriesCode(answer, candidate))
  return other === undefined
    ? `a ${answer.status} without the code ${code}`
    : `a ${answer.status} with the code ${other} instead of ${code}`
}

/**
 * Holds the body of an answer against the schema of one layer. An empty body breaks only a success that has a schema:
 * errors often come without one (supplement).
 *
 * @returns what is wrong, or undefined
 */
export function judgeBody(operation: Operation, layer: Layer, answer: Answer): string | undefined {
  const response = statedResponse(shapeOf(operation, layer), answer.status)
  if (!response) return undefined
  if (response.status === '204' && answer.text !== '') return `a body with a 204: ${snippet(answer.text)}`
  const [mediaType, schema] = Object.entries(response.content)[0] ?? []
  if (!mediaType || !schema || !mediaType.includes('json')) return undefined
  if (answer.text === '') return answer.status < 300 ? `an empty body with a ${answer.status}` : undefined
  const body = parse(answer)
  if (!body) return `a body that is no JSON with a ${answer.status}: ${snippet(answer.text)}`
  const validate = validatorOf(operation, layer, schema)
  if (validate(body.value)) return undefined
  const [error] = validate.errors ?? []
  return `the body of the ${answer.status}: ${error?.instancePath || 'it'} ${error?.message ?? 'does not match its schema'}`
}

const bodies = new WeakMap<Answer, { readonly value: unknown } | undefined>()

/** The body as JSON, or undefined where it is none. Both layers look at the same answer, so it is parsed once. */
function parse(answer: Answer): { readonly value: unknown } | undefined {
  if (!bodies.has(answer)) {
    try {
      bodies.set(answer, { value: JSON.parse(answer.text) })
    } catch {
      bodies.set(answer, undefined)
    }
  }
  return bodies.get(answer)
}

function statedResponse(shape: OperationShape | undefined, status: number): Response | undefined {
  const stated = shape?.responses.filter((response) => matchesStatus(response.status, status)) ?? []
  return stated.find((response) => response.status === String(status)) ?? stated[0]
}

function validatorOf(operation: Operation, layer: Layer, schema: Schema): ValidateFunction {
  let validate = compiled.get(schema)
  if (!validate) {
    // References in a schema of the contract point into its OpenAPI document.
    const { components } = contracts[operation.interface].openapi[layer]
    validate = ajv.compile({ ...schema, components })
    compiled.set(schema, validate)
  }
  return validate
}
