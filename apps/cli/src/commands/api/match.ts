import { contracts, type InterfaceName, type Operation, operations, route } from '@cdn/api/contract'
import { decodePercent } from '@cdn/kit/percent'
import { closest, distance } from 'fastest-levenshtein'
import { alternatives } from '../../program/value-type.ts'
import { UsageError } from '../../terminal/command-error.ts'
import type { ApiMethod } from './methods.ts'

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
 * @throws UsageError for an unknown interface, path or method. `--force` permits an unknown method. It permits an unknown path only
 *   with `--interface`, because a guess could send the credential to the wrong interface
 */
export function findOperation(
  method: ApiMethod,
  path: string,
  { force, interface: name }: { readonly force: boolean; readonly interface: string | undefined },
): OperationMatch {
  const all = Object.values(contracts).map((contract) => contract.interface)
  const names = all.filter((entry) => name === undefined || entry === name)
  if (names.length === 0) throw new UsageError(`Unknown interface ${JSON.stringify(name)}: expected ${all.join(', ')}.`)
  const matches = names.flatMap((entry) => route(entry, method, path) ?? [])
  const match = matches.find((each) => 'operation' in each) ?? matches[0]
  if (match && 'operation' in match) return match
  const owner = names.length === 1 ? names[0] : names.find((entry) => route(entry, method, path))
  if (force && owner) return { operation: unknownOperation(method, path, owner), parameters: {} }
  if (match) throw new UsageError(`${path} takes ${match.allow.join(', ')}, not ${method}. ${forceAdvice}`)
  const advice = `To send it without this check: --force with --interface ${alternatives(all)}.`
  throw new UsageError(`Unknown path ${JSON.stringify(path)}${suggestion(path)}. ${advice}`)
}

/** Returns the longest end of a file's path that is a path of the contract, with a leading slash; undefined without a match. */
export function withoutFolder(method: ApiMethod, file: string): string | undefined {
  const segments = file.split(/[/\\]/)
  const ends = segments.map((_, index) => `/${segments.slice(index + 1).join('/')}`)
  const isKnown = (path: string) =>
    Object.values(contracts).some((each) => route(each.interface, method, path.replace(/\?.*/s, '')))
  return ends.find(isKnown)
}

/** Suggests the most similar path of the contract if it differs in few letters. Its parameters take their values from the given path. */
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

/** An operation outside the contract. Its effect is unknown, so any method except GET counts as destructive. */
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

/** @throws UsageError for an invalid percent-encoding */
export function readPath({ parameters }: OperationMatch): Record<string, string> {
  const decode = (name: string, text: string) => {
    const value = decodePercent(text)
    if (value !== undefined) return value
    throw new UsageError(`Invalid percent-encoding of ${name} in the path: ${JSON.stringify(text)}`)
  }
  return Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, decode(name, text)]))
}

/**
 * Groups the parameters of a query string by name.
 *
 * @param force permits unknown and missing parameters
 * @throws UsageError for an unknown or missing parameter
 */
export function readQuery(
  { parameters = [] }: KnownOperation,
  pairs: readonly (readonly [string, string])[],
  force: boolean,
): Record<string, string[]> {
  const known = parameters.filter((entry) => entry.in === 'query')
  const unknown = pairs.find(([name]) => !known.some((entry) => entry.name === name))
  if (unknown && !force) {
    const names = known.map((entry) => entry.name).join(', ')
    const expected = names === '' ? 'this operation takes none' : `expected ${names}`
    throw new UsageError(`Unknown query parameter ${JSON.stringify(unknown[0])}: ${expected}. ${forceAdvice}`)
  }
  const missing = known.find(({ name, required }) => required && !force && !pairs.some(([given]) => given === name))
  if (missing) throw new UsageError(`Missing query parameter ${missing.name}: give --param ${missing.name}=VALUE`)
  const groups = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.map(([, value]) => value)]))
}
