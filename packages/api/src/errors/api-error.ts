import { toRecord } from '@cdn/kit/record'
import type { Method } from '../contract/model.ts'
import { callOf, describeResponse, isAnonymous } from '../fetch/call.ts'
import type { codes as loggingCodes, paths as loggingPaths } from '../gen/logging.ts'
import type { paths as managementPaths } from '../gen/management.ts'
import { redactAndCut } from '../redact.ts'
import type { BodyOf, Success } from '../response-types.ts'
import { CallError } from './call-error.ts'

/**
 * The platform answered with an error (§7). The type parameters narrow status, code and body;
 * `ManagementErrorOf` and `LoggingErrorOf` derive them from the contract.
 */
export class ApiError<
  Status extends number = number,
  Code extends string | undefined = string | undefined,
  Body = unknown,
> extends CallError {
  override readonly name = 'ApiError'
  readonly status: Status
  /** The code in the error body, such as `rate_limited` or `pullZone.not_found`; undefined if the body has none. */
  readonly code: Code
  /** The error body, redacted: a JSON value, a text if the body is not JSON, or undefined if the body or its JSON value is empty. */
  readonly body: Body

  /**
   * @param response the response to the call
   * @param body the error body, as in openapi-fetch's `error`
   */
  constructor(response: Response, body: unknown) {
    const call = describeResponse(response)
    const redacted = isEmpty(body) ? undefined : call.redact.value(body)
    const { code, message } = codeAndMessage(redacted)
    const known = callOf(response)
    const stated =
      [code, message].filter(Boolean).join(': ') || (redacted === undefined && known?.errors[response.status]) || ''
    const lacksCredential = (response.status === 401 || response.status === 403) && known && isAnonymous(known)
    const hint = lacksCredential ? ' (no credential is configured)' : ''
    super(call, `was answered ${response.status}${hint}${stated && `: ${redactAndCut(stated, call.redact)}`}`)
    this.status = response.status as Status // as the contract states for the operation
    this.code = code as Code // as the contract states for the status
    this.body = redacted as Body // as the contract states for the status
  }
}

/**
 * Whether a caught value is an ApiError. Errors of another copy of this package count too.
 *
 * @example
 * if (isApiError<LoggingErrorOf<'get', '/v2/pullzones/{pullZoneId}/logs'>>(error) && error.status === 404) error.code
 */
export function isApiError<E extends ApiError = ApiError>(error: unknown): error is E {
  return error instanceof Error && error.name === 'ApiError'
}

/**
 * Extracts code and message from an error body; never throws. On the management interface they are in ErrorKey, Field and Message
 * (§2). On the logging interface they are in `error`: an object with `code` and `message` (supplement), or a string (observed).
 */
function codeAndMessage(body: unknown): { code: string | undefined; message: string } {
  const { error, ErrorKey, Field, Message } = toRecord(body)
  const { code, message, details } = toRecord(error)
  // A detail may repeat the message.
  const texts = (...values: unknown[]) =>
    [...new Set(values)].filter((value) => typeof value === 'string' && value !== '').join(' ')
  const field = texts(Field) && `(${texts(Field)})`
  return {
    code: texts(code) || texts(ErrorKey) || undefined,
    message: texts(field, Message, error, message, ...(Array.isArray(details) ? details : [])),
  }
}

/** Whether an error body has no content. For a missing body, the client returns `{}`, so that callers do not mistake the error for a success. */
function isEmpty(body: unknown): boolean {
  return !body || (typeof body === 'object' && Object.keys(body).length === 0)
}

/**
 * Returns the data of a call, or throws its error. For callers that prefer exceptions.
 *
 * @param call result of a client method: `await unwrap(client.GET(...))`
 * @returns the data
 * @throws ApiError if the platform answered with an error; otherwise the error that the call rejected with
 */
export async function unwrap<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new ApiError(response, error)
  return data as Data // the data of a success; undefined only if `Data` permits it
}

type At<Of, Key> = Key extends keyof Of ? Of[Key] : unknown

type ErrorStatus<Responses> = Exclude<keyof Responses, Success> & number

/** A union with one error type per error status of the contract. Other codes stay allowed, because the platform may send them. */
export type ErrorOf<Operation, Codes> = Operation extends { responses: infer Responses }
  ? {
      [Status in ErrorStatus<Responses>]: ApiError<
        Status,
        At<Codes, `${Status}`> extends infer Code extends string
          ? Code | (string & {}) | undefined
          : string | undefined,
        BodyOf<Responses[Status]> | undefined
      >
    }[ErrorStatus<Responses>]
  : ApiError

/** The errors of an operation of the management interface, such as `ManagementErrorOf<'get', '/pullzone/{id}'>`. */
export type ManagementErrorOf<M extends Method, Path extends keyof managementPaths> = ErrorOf<
  At<managementPaths[Path], M>,
  unknown
>

/** The errors of an operation of the logging interface, narrowed by status and code. */
export type LoggingErrorOf<M extends Method, Path extends keyof loggingPaths> = ErrorOf<
  At<loggingPaths[Path], M>,
  At<At<loggingCodes, Path>, M>
>
