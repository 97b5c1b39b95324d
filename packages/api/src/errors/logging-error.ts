import { CallError, type Failure } from './call-error.ts'
import { type Answered, decodeBody, property, textField } from './refusal.ts'

/** The logging interface answered, and not with a success (§7). Carries no credential. */
export class LoggingError extends CallError {
  override readonly name = 'LoggingError'
  declare readonly status: number
  /** The code, for example `rate_limited` (§7); undefined where the body carries none (its place is supplement). */
  readonly code: (string & {}) | undefined
  /** What the platform says in words. */
  readonly reason: string | undefined
  /** Which parameters were refused, where the platform says so. */
  readonly details: readonly string[]

  constructor(failure: Failure & Answered) {
    const { redact, response } = failure
    const error = property(decodeBody(failure.text), 'error')
    const code = textField(property(error, 'code'), redact)
    // A 404 whose `error` is a plain string was seen.
    const reason = textField(typeof error === 'string' ? error : property(error, 'message'), redact)
    const details = property(error, 'details')
    const said = [code, reason].filter(Boolean).join(': ')
    super(failure, `answered ${response.status}${said && `: ${said}`}`)
    this.code = code
    this.reason = reason
    this.details = Array.isArray(details) ? details.flatMap((detail) => textField(detail, redact) ?? []) : []
  }
}

/** One of a status for which the contract states the code; another code may come all the same. */
export interface LoggingErrorAt<Status extends number, Code extends string> extends LoggingError {
  readonly status: Status
  readonly code: Code | (string & {}) | undefined
}
