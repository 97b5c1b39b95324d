import { isStated, operations } from '@cdn/api/contract'
import type { Handler } from './handler.ts'
import queryLogs from './handlers/query-logs.ts'
import readLogFile from './handlers/read-log-file.ts'

/** Implementations of the operations whose effect the contract does not state, by `x-name`. */
export const handlers: ReadonlyMap<string, Handler> = new Map([
  ['query-logs', queryLogs],
  ['read-log-file', readLogFile],
])

/**
 * `x-name`s of the operations that the emulator implements: those with a handler, and those whose effect the contract states. Any
 * other operation of the contract returns 501.
 */
export const implemented: ReadonlySet<string> = new Set([
  ...handlers.keys(),
  ...operations.filter(isStated).map(({ name }) => name),
])
