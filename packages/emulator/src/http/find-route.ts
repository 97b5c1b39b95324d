import { createRouter, operations, type Route, route } from '@cdn/api/contract'
import type { Variants } from '../variants.ts'
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

/**
 * Finds the operation for the path of a request. The variants decide how strictly the path is matched. If the variants ignore
 * case, the values of path parameters are in lower case.
 */
export function findRoute(
  { interface: name, method, path }: EmulatorRequest,
  { pathCase, trailingSlash }: Variants,
): Route {
  const trimmed = trailingSlash === 'ignored' && path.length > 1 ? path.replace(/\/$/, '') : path
  if (pathCase === 'refused') return route(name, method, trimmed)
  const match = routeLowered(name, method, trimmed.toLowerCase())
  if (!match || !('operation' in match)) return match
  const operation = operations.find((other) => other.interface === name && other.name === match.operation.name)
  return operation && { ...match, operation }
}
