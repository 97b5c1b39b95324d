import {
  contracts,
  type InterfaceName,
  type LineField,
  type OpenApi,
  type OperationShape,
  route,
  type Schema,
} from '@cdn/api/contract'
import { createValidators } from '@cdn/kit/contract-validator'
import { defined } from '@cdn/kit/defined'
import type { Emulator } from '../../src/emulator.ts'
import type { Variants } from '../../src/variants/variants.ts'

/** Name of the test fault that removes the rate limit. Responses are validated even while this fault is active. */
export const unlimitedName = 'unlimited'

/**
 * Creates a `fetch` that validates each response of an emulator against the contract. With the default variants, it validates against
 * both layers, otherwise only against the spec. While a fault is active, responses are not validated.
 *
 * @param variants the variants that differ from the defaults
 * @throws Error that names the contract violations of a response
 */
export function createValidatingFetch(emulator: Emulator, variants: Partial<Variants>) {
  const layers = Object.keys(variants).length === 0 ? (['spec', 'full'] as const) : (['spec'] as const)
  return async (name: InterfaceName, url: URL, init: RequestInit): Promise<Response> => {
    const isFaulty = emulator.faults.active().some((fault) => fault.name !== unlimitedName)
    const response = await emulator.fetch(url, init)
    const { status, headers } = response
    // No operation lists a 403 for a missing scope; §5 leaves that status open.
    if (isFaulty || (variants.missingScope === 403 && status === 403)) return response
    const { method = 'GET' } = init
    const body = await response.clone().text()
    const seen = { interface: name, method, path: url.pathname, status, contentType: headers.get('content-type'), body }
    const breaches = layers.flatMap((layer) => validateResponse(seen, layer).map((text) => `${layer}: ${text}`))
    if (breaches.length > 0) throw new Error(`${method} ${seen.path} breaks the contract: ${breaches.join('; ')}`)
    return response
  }
}

const validatorOf = createValidators(false)

/** A request and its response. */
interface OracleExchange {
  readonly interface: InterfaceName
  readonly method: string
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  readonly body: string
}

/**
 * Validates a response against a layer of the contract. Permitted variants only have to satisfy the spec.
 *
 * @returns one sentence per problem; empty if the layer does not contain the operation
 */
function validateResponse(seen: OracleExchange, layer: 'spec' | 'full'): string[] {
  const match = route(seen.interface, seen.method, seen.path)
  if (!match || !('operation' in match)) return []
  const shape = layer === 'full' ? match.operation : match.operation.spec
  return shape ? problemsOf(shape, contracts[seen.interface].openapi[layer], seen) : []
}

function problemsOf(shape: OperationShape, api: OpenApi, { status, contentType, body }: OracleExchange): string[] {
  const find = (key: string) => shape.responses.find((response) => response.status === key)
  const response = find(String(status)) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default')
  if (!response) return [`${status} is not documented`]
  if (status === 204 && body !== '') return ['204 with a body']
  const stated = Object.entries(response.content)
  if (stated.length === 0) return []
  if (body === '' && !response.content['text/plain'])
    return stated.some(([, schema]) => 'required' in schema || status < 400) ? [`${status} without a body`] : []
  const schema = response.content[contentType?.split(';')[0] ?? '']
  if (!schema) return [`${status} with ${contentType}`]
  const { line } = response
  if (line) return body.split('\n').flatMap((text) => problemsOfLine(line, text))
  return contentType?.startsWith('application/json') ? problemsOfJson(schema, api, JSON.parse(body)) : []
}

/** Validates a line: it has the fields of `x-line`, with or without extended logging. Blank lines are valid (supplement). */
function problemsOfLine(fields: readonly LineField[], text: string): string[] {
  if (text === '') return []
  const values = text.split('|')
  const plain = fields.filter(({ extended }) => !extended)
  if (values.length !== fields.length && values.length !== plain.length) return [`a line of ${values.length} fields`]
  return fields
    .filter(({ type }, index) => type === 'integer' && !/^(-|\d+)$/.test(values[index] ?? '-'))
    .map(({ name }) => `${name} is not an integer`)
}

function problemsOfJson(schema: Schema, api: OpenApi, value: unknown): string[] {
  const validate = validatorOf(schema, api)
  return validate(value) ? [] : defined(validate.errors).map((error) => `${error.instancePath} ${error.message}`)
}
