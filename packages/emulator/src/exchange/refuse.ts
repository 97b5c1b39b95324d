import type { InterfaceName, Operation } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { stringifyJson } from '@cdn/kit/json'
import type { Variants } from '../variants/variants.ts'
import type { EmulatorResponse } from './messages.ts'

/** The content of an error response. The content never repeats input of the caller. */
export interface ErrorContent {
  /** One sentence per problem. */
  readonly message: string
  /** Management: machine-readable name; by default the name for the status. */
  readonly key?: string
  /** Management: the invalid field of the request body. */
  readonly field?: string
  /** Logging, in a JSON body: the sentences of `message` as a list. */
  readonly details?: readonly string[]
}

/** Error names. Only `authentication.failed` was observed on the live platform; the other names are modelled on it. */
const keys: Readonly<Record<number, string>> = {
  400: 'validation.failed',
  401: 'authentication.failed',
  403: 'authorization.failed',
  404: 'not_found',
  413: 'content.too_large',
  422: 'validation.failed',
  500: 'server.failed',
}

/**
 * Creates the error response of an operation in the form of its interface (§2, §7). The code of a logging error comes from
 * the contract.
 *
 * @param status a status that the contract lists for the operation, if the contract lists a suitable one
 * @param variants decide whether the body is omitted or has another form
 */
export function refuse(
  operation: Operation,
  status: number,
  problem: ErrorContent,
  variants: Variants,
): EmulatorResponse {
  if (operation.interface === 'logging') return refuseLogging(operation, status, problem, variants)
  if (!hasErrorBody(operation, status, variants)) return empty(status)
  return json(status, {
    ErrorKey: problem.key ?? keys[status] ?? '',
    Field: problem.field ?? '',
    Message: problem.message,
  })
}

/**
 * Creates the 404 for a path that the variants `pathCase` or `trailingSlash` refuse. On the management interface, it has a body only
 * with `errorBodies: present`. On the logging interface, its body is JSON, and its code is our choice.
 */
export function refusePath(name: InterfaceName, variants: Variants): EmulatorResponse {
  const message = 'The path does not exist.'
  if (name === 'logging') return json(404, { error: { code: 'not_found', message } })
  return variants.errorBodies === 'present'
    ? json(404, { ErrorKey: 'path.not_found', Field: '', Message: message })
    : empty(404)
}

/**
 * Creates a response with a JSON body.
 *
 * @param value a JSON value; a bigint is written as a number
 */
export function json(status: number, value: unknown): EmulatorResponse {
  return jsonText(status, assertDefined(stringifyJson(value)))
}

/** Creates a response with a JSON body that is already text. */
export function jsonText(status: number, body: string): EmulatorResponse {
  return { status, headers: { 'content-type': 'application/json' }, body }
}

export function empty(status: number): EmulatorResponse {
  return { status, headers: {}, body: null }
}

function refuseLogging(
  operation: Operation,
  status: number,
  problem: ErrorContent,
  variants: Variants,
): EmulatorResponse {
  const code = operation.responses.find((response) => response.status === String(status))?.errorCode ?? ''
  const isFile = operation.responses.some((response) => response.line)
  if (isFile && variants.fileErrorBody === 'text')
    return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${code}: ${problem.message}\n` }
  const { message, details } = problem
  return json(status, { error: { code, message, ...(details && { details }) } })
}

/** Whether the spec itself requires fields in the body of an error (§7, add allowed referrer). */
function demandsBody(operation: Operation, status: number): boolean {
  const responses = operation.spec?.responses ?? []
  const response = responses.find((r) => r.status === String(status)) ?? responses.find((r) => r.status === 'default')
  return Object.values(response?.content ?? {}).some((schema) => 'required' in schema)
}

/** Statuses whose body depends on the variant. For other statuses, such as 400, the contract decides. */
const uncertain: ReadonlySet<number> = new Set([401, 403, 404, 500])

/**
 * Whether an error of the management interface has a body. The spec requires a body only for add allowed referrer (§7). For
 * delete watermark, the spec states only the form of a body (§2). For operations of the supplement, the contract lists which
 * errors have a body.
 */
function hasErrorBody(operation: Operation, status: number, { errorBodies }: Variants): boolean {
  const response = operation.responses.find((r) => r.status === String(status))
  const isShown = !response || Object.keys(response.content).length > 0
  if (!uncertain.has(status) || demandsBody(operation, status)) return isShown
  return errorBodies === 'as published'
    ? isShown && !operation.spec && response !== undefined
    : errorBodies === 'present'
}
