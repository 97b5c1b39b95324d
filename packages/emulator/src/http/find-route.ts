import { createRouter, type InterfaceName, type Operation, operations, type Route, route } from '@cdn/api/contract'
import type { Variants } from '../variants/variants.ts'
import type { EmulatorRequest } from './messages.ts'

/** Routes paths that were converted to lower case. Parameter names keep their case. */
const routeLowered = createRouter(
  operations.map((operation) => ({
    ...operation,
    path: operation.path
      .split(/(\{\w+\})/)
      .map((part) => (part.startsWith('{') ? part : part.toLowerCase()))
      .join(''),
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
  const match = exact ?? matchLowered(name, method, trimmed)
  if (!match) return undefined
  const isRefused = (trimmed !== path && trailingSlash === 'refused') || (!exact && pathCase === 'refused')
  return isRefused ? 'refused' : match
}

function matchLowered(name: InterfaceName, method: string, path: string): Match | undefined {
  const match = toMatch(routeLowered(name, method, path.toLowerCase()))
  const operation = operations.find((other) => other.interface === name && other.name === match?.operation.name)
  return match && operation && { ...match, operation }
}

function toMatch(found: Route): Match | undefined {
  return found && 'operation' in found ? found : undefined
}
