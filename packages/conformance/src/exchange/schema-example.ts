import {
  contracts,
  type Operation,
  type Parameter,
  type Resolve,
  type Schema,
  sampleOf,
  sampleParameter,
} from '@cdn/api/contract'
import { followReference } from '@cdn/kit/reference'

const host = 'mock.conformance.invalid'
const style = { host, now: new Date('2026-01-01T00:00:00Z'), text: () => host }

/** Makes a small value that a schema accepts: its example or default, or else a value whose hostnames are under `conformance.invalid`. */
export function schemaExample(schema: Schema, resolve: Resolve): unknown {
  return sampleOf(schema, resolve, style)
}

/** Returns a function that follows references in the full contract of an operation's interface. */
export function resolverOf({ interface: of }: Pick<Operation, 'interface'>): Resolve {
  const { full } = contracts[of].openapi
  return (schema) => followReference(full, schema)
}

/** Makes a small valid body of an operation; undefined if it has none. */
export function bodyExample(operation: Operation): unknown {
  const [schema] = Object.values(operation.requestBody?.content ?? {})
  return schema && schemaExample(schema, resolverOf(operation))
}

/** Returns an example value of a parameter, as text. */
export function parameterExample(parameter: Parameter, resolve: Resolve): string {
  return String(sampleParameter(parameter, resolve, style))
}

/** Returns example values of the required parameters of an operation in one place, by default in the query. */
export function requiredParameters(operation: Operation, place: Parameter['in'] = 'query'): Record<string, string> {
  const resolve = resolverOf(operation)
  const required = operation.parameters.filter((parameter) => parameter.in === place && parameter.required)
  return Object.fromEntries(required.map((parameter) => [parameter.name, parameterExample(parameter, resolve)]))
}
