import type { Operation } from '@cdn/api/contract'
import type { Variants } from '../variants.ts'
import type { Answer } from './call.ts'

/** What an error answer says. Nothing a caller sent is repeated in it. */
export interface Problem {
  /** A sentence. */
  readonly message: string
  /** Management: machine-readable name; by status where absent. */
  readonly key?: string
  /** Management: the field of the request body at fault. */
  readonly field?: string
  /** Logging v2: one sentence for each fault. */
  readonly details?: readonly string[]
}

/** Names of errors: seen live (authentication.failed), or in their manner. */
const keys: Readonly<Record<number, string>> = {
  400: 'validation.failed',
  401: 'authentication.failed',
  403: 'authorization.failed',
  404: 'not_found',
  413: 'content.too_large',
  500: 'server.failed',
}

/**
 * The error answer of an operation, in its interface's shape (§2, §7): the code of a logging error is read from the
 * contract.
 *
 * @param status one that the contract lists for the operation, wherever it lists one that fits
 * @param variants where to leave out or reshape the body; the defaults where absent
 */
export function refuse(operation: Operation, status: number, problem: Problem, variants?: Variants): Answer {
  if (operation.interface === 'logging') return refuseLogging(operation, status, problem, variants)
  const absent = variants?.errorBodies === 'absent' && status !== 400 && !demandsBody(operation, status)
  if (absent || !hasBody(operation, status)) return empty(status)
  return json(status, {
    ErrorKey: problem.key ?? keys[status] ?? '',
    Field: problem.field ?? '',
    Message: problem.message,
  })
}

/**
 * The same for a path that no operation has.
 *
 * @param headers such as Allow
 */
export function refusePath(status: 404 | 405, message: string, headers: Record<string, string> = {}): Answer {
  const answer = json(status, {
    ErrorKey: status === 404 ? 'path.not_found' : 'method.not_allowed',
    Field: '',
    Message: message,
  })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/**
 * An answer with a JSON body.
 *
 * @param value what `JSON.stringify` takes; an int64 by `toExact`
 */
export function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** An answer without a body. */
export function empty(status: number): Answer {
  return { status, headers: {}, body: null }
}

function refuseLogging(operation: Operation, status: number, problem: Problem, variants?: Variants): Answer {
  const code = operation.responses.find((response) => response.status === String(status))?.errorCode ?? ''
  const isFile = operation.responses.some((response) => response.line)
  if (isFile && variants?.fileErrorBody === 'text')
    return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${code}: ${problem.message}\n` }
  const { message, details } = problem
  return json(status, { error: { code, message, ...(details && { details }) } })
}

/** Whether the document itself says that the body of this error carries certain fields (§7, add allowed referer). */
function demandsBody(operation: Operation, status: number): boolean {
  const responses = operation.documented?.responses ?? []
  const response = responses.find((r) => r.status === String(status)) ?? responses.find((r) => r.status === 'default')
  return Object.values(response?.content ?? {}).some((schema) => 'required' in schema)
}

/** Whether a listed status shows a body; where the status is not listed, the interface's error body is a fair guess. */
function hasBody(operation: Operation, status: number): boolean {
  const response = operation.responses.find((r) => r.status === String(status))
  return !response || Object.keys(response.content).length > 0
}
