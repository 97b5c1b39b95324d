import { describeAnswer } from '../fetch/request-facts.ts'
import { keep, oneLine, redactValue } from '../redact.ts'
import { requestIdOf } from './request-id.ts'

/**
 * The platform answered with an error (§7). Holds no credential. The type parameters narrow it: `ManagementErrorOf` and
 * `LoggingErrorOf` derive them from the contract.
 */
export class ApiError<
  Status extends number = number,
  Code extends string | undefined = string | undefined,
  Body = unknown,
> extends Error {
  override readonly name = 'ApiError'
  readonly status: Status
  /** The code of the error body, such as `rate_limited` or `pullZone.not_found`; undefined if it holds none. */
  readonly code: Code
  /** The error body: JSON as the platform sent it, text if it is not JSON, undefined if it was empty. Redacted. */
  readonly body: Body
  /** Method and path template, such as `GET /pullzone/{id}`. */
  readonly operation: string
  readonly host: string
  /** The request id for the platform's support; undefined if the response has none. */
  readonly requestId: string | undefined

  /**
   * @param response of the call
   * @param body as in openapi-fetch's `error`
   */
  constructor(response: Response, body: unknown) {
    const { operation, host, redact } = describeAnswer(response)
    const redacted = isEmpty(body) ? undefined : redactValue(body, redact)
    const { code, message } = sentenceOf(redacted)
    const stated = [code, message].filter(Boolean).join(': ')
    super(
      oneLine(
        `${operation}${host && ` at ${host}`} was answered ${response.status}${stated && `: ${keep(stated, redact)}`}`,
      ),
    )
    this.status = response.status as Status // as the contract states for the operation
    this.code = code as Code // as the contract states for the status
    this.body = redacted as Body // as the contract states for the status
    this.operation = operation
    this.host = host
    this.requestId = requestIdOf(response, redact)
  }

  /** The fields and the message, for logs; without the stack. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), message: this.message } // without the types of the fields
  }
}

/**
 * Whether a caught value is an ApiError, also of another copy of this package.
 *
 * @example
 * if (isApiError<LoggingErrorOf<'get', '/v2/pullzones/{pullZoneId}/logs'>>(error) && error.status === 404) error.code
 */
export function isApiError<E extends ApiError = ApiError>(error: unknown): error is E {
  return error instanceof Error && error.name === 'ApiError'
}

/**
 * Extracts code and message of an error body; never throws. Supports the management interface's ErrorKey, Field and Message (§2),
 * and the logging interface's `error` (supplement: an object with `code` and `message`; plain strings were observed).
 */
function sentenceOf(body: unknown): { code: string | undefined; message: string } {
  const { error, ErrorKey, Field, Message } = toRecord(body)
  const { code, message, details } = toRecord(error)
  const texts = (...values: unknown[]) => values.filter((value) => typeof value === 'string' && value !== '').join(' ')
  const field = texts(Field) && `(${texts(Field)})`
  return {
    code: texts(code) || texts(ErrorKey) || undefined,
    message: texts(field, Message, error, message, ...(Array.isArray(details) ? details : [])),
  }
}

/** openapi-fetch's `error` is `{}` for an error without a body, so that it is not mistaken for a success. */
function isEmpty(body: unknown): boolean {
  return !body || (typeof body === 'object' && Object.keys(body).length === 0)
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' ? { ...value } : {}
}
