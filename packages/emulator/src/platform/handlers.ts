import { isStated, type Operation, operations } from '@cdn/api/contract'
import type { Handler } from './handler.ts'
import queryLogs from './handlers/query-logs.ts'
import readLogFile from './handlers/read-log-file.ts'

/** Implementations of the operations whose effect the contract does not state, by `x-name`. */
export const handlers: ReadonlyMap<string, Handler> = new Map([
  ['query-logs', queryLogs],
  ['read-log-file', readLogFile],
])

/**
 * Whether an operation can be served with the plainest values of its schema, without a stated resource: it only reads, shows JSON or
 * nothing, and states no 404, which would depend on a resource.
 */
export function isPlainRead({ effect, responses }: Operation): boolean {
  const types = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ content }) => Object.keys(content))
  const isJson = types.every((type) => type === 'application/json')
  return effect === 'read' && isJson && !responses.some(({ status }) => status === '404')
}

/** `x-name`s of the operations that the emulator implements. Any other operation of the contract returns 501. */
export const implemented: ReadonlySet<string> = new Set(
  operations.filter((each) => handlers.has(each.name) || isStated(each) || isPlainRead(each)).map(({ name }) => name),
)
