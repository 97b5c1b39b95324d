import { createRouter, type Operation, operations, type Route, route } from '@cdn/api/contract'
import type { EmulatorRequest } from '../exchange/messages.ts'
import type { Variants } from '../variants/variants.ts'

const routeInAnyCase = createRouter(operations, true)

/** An operation and its path parameters as sent, percent-encoded. */
export type RouteMatch = Extract<Route, { operation: Operation }>

/**
 * Finds the operation of a request. `refused` means that the path differs from a path of the contract only in a way that the
 * variants do not ignore: the case or a trailing slash.
 *
 * @returns undefined if neither the spec nor the supplement has such an operation
 */
export function findRoute(
  { interface: name, method, path }: EmulatorRequest,
  { pathCase, trailingSlash }: Variants,
): RouteMatch | 'refused' | undefined {
  const trimmed = path.replace(/(?<=.)\/$/, '')
  const exact = route(name, method, trimmed)
  const isExact = exact !== undefined && 'operation' in exact
  const match = isExact ? exact : routeInAnyCase(name, method, trimmed)
  if (!match || !('operation' in match)) return undefined
  const isRefused = (trimmed !== path && trailingSlash === 'refused') || (!isExact && pathCase === 'refused')
  return isRefused ? 'refused' : match
}
