import { contracts, type InterfaceName, type Operation, operations, route } from '@cdn/api/contract'
import { closest, distance } from 'fastest-levenshtein'
import { documentOf, fieldOf, pathTypeOf } from '../../operations/schema.ts'
import { UsageError } from '../../terminal/command-error.ts'
import type { ValueType } from '../program/value-type.ts'
import type { ApiMethod } from './options.ts'

/** An operation of the contract, or what is known about a path outside the contract. */
export type KnownOperation = Pick<
  Operation,
  'interface' | 'method' | 'path' | 'schemes' | 'summary' | 'effect' | 'responses'
> &
  Partial<Operation>

/** An operation, and its path parameters as the user typed them (percent-encoded). */
export interface OperationMatch {
  readonly operation: KnownOperation
  readonly parameters: Readonly<Record<string, string>>
}

/** End of the message for errors that `--force` skips. */
export const forceAdvice = 'To send it without this check: --force.'

/**
 * Finds the operation of a path in the contract.
 *
 * @param name value of `--interface`; both interfaces by default
 * @throws UsageError if the contract lacks the path or the method, unless `--force` is given
 */
export function findOperation(
  method: ApiMethod,
  path: string,
  { force, interface: name }: { readonly force: boolean; readonly interface: string | undefined },
): OperationMatch {
  const all = Object.values(contracts).map((contract) => contract.interface)
  const names = all.filter((entry) => name === undefined || entry === name)
  const [owner] = names
  if (owner === undefined)
    throw new UsageError(`Unknown interface ${JSON.stringify(name)}: expected ${all.join(', ')}.`)
  const matches = names.flatMap((entry) => route(entry, method, path) ?? [])
  const match = matches.find((each) => 'operation' in each) ?? matches[0]
  if (match && 'operation' in match) return match
  if (force) return { operation: unknownOperation(method, path, owner), parameters: {} }
  if (match) throw new UsageError(`${path} takes ${match.allow.join(', ')}, not ${method}. ${forceAdvice}`)
  throw new UsageError(`Unknown path ${JSON.stringify(path)}${suggestion(path)}. ${forceAdvice}`)
}

/** Names the most similar path of the contract if it differs in few letters. Its parameters get the values of the given path. */
function suggestion(path: string): string {
  const segments = path.split('/')
  const known = operations.map((operation) =>
    operation.path
      .split('/')
      .map((part, index) => (/^\{[^{}]+\}$/.test(part) ? (segments[index] ?? part) : part))
      .join('/'),
  )
  const similar = closest(path, known)
  return distance(path, similar) <= path.length / 3 ? ` (did you mean ${similar}?)` : ''
}

/**
 * Completes a path of the contract by one segment.
 *
 * @param typed beginning of a path, with or without its first slash
 */
export function knownPaths(typed: string): string[] {
  const given = typed.split('/')
  const before = given.slice(0, -1)
  const completed = operations.flatMap(({ path }) => {
    const template = path.split('/').slice(typed.startsWith('/') ? 0 : 1)
    const next = template[before.length]
    const fits = before.every((part, n) => part === template[n] || (part !== '' && template[n]?.startsWith('{')))
    if (!fits || next === undefined || next.startsWith('{')) return []
    return [[...before, template.length > given.length ? `${next}/` : next].join('/')]
  })
  return [...new Set(completed)].sort()
}

/** The effect of such a request is unknown, so any method except GET counts as destructive. */
function unknownOperation(method: ApiMethod, path: string, name: InterfaceName): KnownOperation {
  return {
    interface: name,
    // Safe: only TypeScript loses the exact type in `toLowerCase`.
    method: method.toLowerCase() as Lowercase<ApiMethod>,
    path,
    schemes: contracts[name].schemes.map((scheme) => scheme.name),
    summary: 'Unknown operation',
    effect: method === 'GET' ? 'read' : 'destructive',
    responses: [],
  }
}

/**
 * Checks the parameters of a path against the contract.
 *
 * @throws UsageError with the parameter, the expected form, and the value
 */
export function readPath({ operation, parameters }: OperationMatch): Record<string, unknown> {
  const entries = Object.entries(parameters).map(([name, encoded]) => {
    const parameter = operation.parameters?.find((entry) => entry.in === 'path' && entry.name === name)
    const text = decode(name, encoded)
    if (!parameter) return [name, text]
    const type = pathTypeOf(parameter, documentOf(operation))
    return [name, parse(type, text, `${name} in ${operation.path}: ${JSON.stringify(text)},`)]
  })
  return Object.fromEntries(entries)
}

function decode(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UsageError(`Invalid percent-encoding of ${name} in the path: ${JSON.stringify(text)}`)
  }
}

/**
 * Groups the parameters of a query string by name, and checks them against the contract.
 *
 * @param force skips the checks
 * @throws UsageError with the parameter, the expected form, and the value
 */
export function readQuery(
  operation: KnownOperation,
  pairs: readonly (readonly [string, string])[],
  force: boolean,
): Record<string, unknown[]> {
  const known = (operation.parameters ?? []).filter((entry) => entry.in === 'query')
  const names = known.map((entry) => entry.name).join(', ')
  const query = new Map<string, unknown[]>()
  for (const [name, text] of pairs) {
    const parameter = known.find((entry) => entry.name === name)
    if (!parameter && !force) {
      const expected = names === '' ? 'this operation takes none' : `expected ${names}`
      throw new UsageError(`Unknown query parameter ${JSON.stringify(name)}: ${expected}. ${forceAdvice}`)
    }
    const what = `query parameter ${name}=${JSON.stringify(text)}:`
    const isText = force || !parameter
    const value = isText ? text : parse(fieldOf(parameter.schema, documentOf(operation)).value, text, what)
    query.set(name, [...(query.get(name) ?? []), value])
  }
  const missing = known.find(({ name, required }) => required && !force && !query.has(name))
  if (missing) throw new UsageError(`Missing query parameter ${missing.name}: give --param ${missing.name}=VALUE`)
  return Object.fromEntries(query)
}

/** @param what the value and where it was given, for the message */
export function parse({ parse: read, must }: ValueType<unknown>, text: string, what: string): unknown {
  const value = read(text)
  if (value === undefined) throw new UsageError(`Invalid ${what} expected ${must}`)
  return value
}
