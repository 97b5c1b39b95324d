import { contracts, type LineField, type OpenApi, type OperationShape, route, type Schema } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const ajv = new Ajv2020({ strict: false, formats: { int32: true, int64: true, binary: true } })
addFormats.default(ajv)

/** A request and its response. */
export interface OracleExchange {
  readonly interface: 'management' | 'logging'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  readonly body: string
}

/**
 * Validates a response against a layer of the contract. Permitted variants only have to satisfy the layer `document`.
 *
 * @returns one sentence per problem; empty if the layer does not contain the operation
 */
export function validateResponse(seen: OracleExchange, layer: 'spec' | 'full'): string[] {
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

const compiled = new WeakMap<Schema, ValidateFunction>()

function problemsOfJson(schema: Schema, api: OpenApi, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: api.components })
  compiled.set(schema, validate)
  return validate(value) ? [] : defined(validate.errors).map((error) => `${error.instancePath} ${error.message}`)
}
