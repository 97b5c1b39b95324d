import { contracts, type InterfaceName, operations, type Parameter, route } from '@cdn/api/contract'
import { suggest } from '../../command/suggest.ts'
import { fieldOf, pathValueOf } from '../../contract/schema.ts'
import { checkBody } from '../../contract/validate-body.ts'
import { UsageError } from '../../errors/command-error.ts'
import type { Body } from './read-body.ts'
import type { ApiInput, Known } from './run.ts'

/** An operation, and the path parameters as typed, percent-encoded. */
export interface FoundOperation {
  readonly operation: Known
  readonly parameters: Readonly<Record<string, string>>
}

const interfaces: readonly InterfaceName[] = ['management', 'logging']

/**
 * Finds the interface and the operation by the contract.
 *
 * @throws UsageError where the contract does not know path or method, unless that is wanted
 */
export function findOperation(
  method: string,
  path: string,
  { force, interface: asked }: Pick<ApiInput['options'], 'force' | 'interface'>,
): FoundOperation {
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new UsageError('PATH must not hold "." or ".." as a segment')
  }
  const routes = interfaces
    .filter((name) => asked === undefined || name === asked)
    .map((name) => route(name, method, path))
  const found = routes.find((entry) => entry !== undefined && 'operation' in entry)
  if (found && 'operation' in found) return found
  if (force) return { operation: unknownOperation(method, path, asked ?? 'management'), parameters: {} }
  const advice = 'Send it all the same with --force.'
  const others = routes.find((entry) => entry !== undefined && 'allow' in entry)
  if (others && 'allow' in others) {
    throw new UsageError(`The contract knows ${path} with ${others.allow.join(', ')}, not with ${method}. ${advice}`)
  }
  const near = suggest(
    path,
    operations.map((operation) => fill(operation.path, path)),
  )
  throw new UsageError(
    `The contract does not know the path ${JSON.stringify(path)}${near ? `; did you mean ${near}?` : '.'} ${advice}`,
  )
}

/** A template with the values of a path put in, so that the two can be compared. */
function fill(template: string, path: string): string {
  const segments = path.split('/')
  const parts = template.split('/').map((part, index) => (/^\{\w+\}$/.test(part) ? (segments[index] ?? part) : part))
  return parts.join('/')
}

/** Nobody says what it does, so anything but a GET is taken for the worst. */
function unknownOperation(method: string, path: string, name: InterfaceName): Known {
  return {
    interface: name,
    method: method.toLowerCase() as Known['method'],
    path,
    schemes: contracts[name].schemes.map((scheme) => scheme.name),
    summary: 'An operation that the contract does not know',
    effect: method === 'GET' ? 'read' : 'destructive',
    responses: [],
  }
}

/** Path and query in the types that the contract states. */
export interface Checked {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
}

/**
 * Holds a request against the contract.
 *
 * @param query as typed, in order
 * @throws UsageError that names the parameter or field, what it must be, and what it is
 */
export async function checkRequest(
  { operation, parameters }: FoundOperation,
  query: readonly (readonly [string, string])[],
  { body, type }: Body,
): Promise<Checked> {
  const known = operation.parameters ?? []
  const now = new Date()
  const path = Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => {
      const parameter = known.find((entry) => entry.in === 'path' && entry.name === name)
      return [name, parameter ? readPathValue(operation, parameter, decode(name, text)) : decode(name, text)]
    }),
  )
  const sent: Record<string, unknown[]> = {}
  for (const [name, text] of query) {
    const parameter = known.find((entry) => entry.in === 'query' && entry.name === name)
    if (!parameter) throw unknownParameter(operation, name)
    const { value } = fieldOf(parameter.schema, contracts[operation.interface].openapi.full)
    const parsed = value.parse(text, now)
    if (parsed === undefined)
      throw new UsageError(`The query parameter ${name} must be ${value.must}, not ${JSON.stringify(text)}`)
    sent[name] = [...(sent[name] ?? []), parsed]
  }
  const missing = known.find((entry) => entry.in === 'query' && entry.required && !(entry.name in sent))
  if (missing) throw new UsageError(`The query parameter ${missing.name} is missing: --query ${missing.name}=VALUE`)
  await checkBodyOf(operation, body, type)
  return { path, query: sent }
}

function readPathValue(operation: Known, parameter: Parameter, text: string): unknown {
  const value = pathValueOf(parameter, contracts[operation.interface].openapi.full)
  const parsed = value.parse(text, new Date())
  if (parsed !== undefined) return parsed
  throw new UsageError(`${parameter.name} in ${operation.path} must be ${value.must}, not ${JSON.stringify(text)}`)
}

function decode(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UsageError(`${name} in the path is not well percent-encoded: ${JSON.stringify(text)}`)
  }
}

function unknownParameter(operation: Known, name: string): UsageError {
  const names = (operation.parameters ?? []).filter((entry) => entry.in === 'query').map((entry) => entry.name)
  const near = suggest(name, names)
  const advice = near ? `Did you mean ${near}?` : names.length > 0 ? `It knows ${names.join(', ')}.` : 'It knows none.'
  return new UsageError(
    `The contract knows no query parameter ${JSON.stringify(name)} here. ${advice} Send it all the same with --force.`,
  )
}

async function checkBodyOf(operation: Known, body: Body['body'], type: Body['type']): Promise<void> {
  const method = operation.method.toUpperCase()
  const { requestBody } = operation
  if (!requestBody) {
    if (body) throw new UsageError(`${method} ${operation.path} takes no body. Send it all the same with --force.`)
    return
  }
  if (!body) {
    if (requestBody.required)
      throw new UsageError(`${method} ${operation.path} needs a body: --field NAME=VALUE or --input FILE`)
    return
  }
  const schema = type === undefined ? undefined : requestBody.content[type]
  if (type === undefined || !schema)
    throw new UsageError(`${method} ${operation.path} takes ${Object.keys(requestBody.content).join(' or ')}`)
  if (type !== 'application/json') return
  await checkBody(schema, new TextDecoder().decode(body), contracts[operation.interface].openapi.full, '--input')
}
