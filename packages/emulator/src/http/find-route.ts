import { createRouter, type Operation, operations, type Route, route } from '@cdn/api/contract'
import type { Variants } from '../variants/variants.ts'
import type { EmulatorRequest } from './messages.ts'

/** Routes paths that were converted to lower case. Parameter names keep their case. */
const routeLowered = createRouter(
  operations.map((operation) => ({
    ...operation,
    path: operation.path.replaceAll(/\{\w+\}|[^{]+/g, (part) => (part.startsWith('{') ? part : part.toLowerCase())),
  })),
)

/** An operation and its path parameters as sent, percent-encoded. */
export type Match = Extract<Route, { operation: Operation }>

/**
 * Finds the operation of a request. `refused` means that the path differs from a path of the contract only in a way that the
 * variants do not ignore: the case or a trailing slash. If only the case differs, path parameters are in lower case.
 *
 * @returns undefined if neither the spec nor the supplement has such an operation
 */
export function findRoute(
  { interface: name, method, path }: EmulatorRequest,
  { pathCase, trailingSlash }: Variants,
): Match | 'refused' | undefined {
  const trimmed = path.replace(/(?<=.)\/$/, '')
  const exact = toMatch(route(name, method, trimmed))
  const lowered = exact ?? toMatch(routeLowered(name, method, trimmed.toLowerCase()))
  const isFound = (other: Operation) => other.interface === name && other.name === lowered?.operation.name
  const operation = exact?.operation ?? operations.find(isFound)
  if (!lowered || !operation) return undefined
  const isRefused = (trimmed !== path && trailingSlash === 'refused') || (!exact && pathCase === 'refused')
  return isRefused ? 'refused' : { ...lowered, operation }
}

function toMatch(found: Route): Match | undefined {
  return found && 'operation' in found ? found : undefined
}
