import { keep, oneLine } from '../redact.ts'
import { decodeBody, property, type Refusal, textField } from './refusal.ts'

/** The logging interface answered, and not with a success (§7). Carries no credential. */
export class LoggingError extends Error {
  override readonly name = 'LoggingError'
  readonly status: number
  /** Method and path template. */
  readonly operation: string
  /** The code, for example `rate_limited` (§7); undefined where the body carries none (its place is supplement). */
  readonly code: string | undefined
  /** What the platform says in words. */
  readonly reason: string | undefined
  /** Which parameters were refused, where the platform says so. */
  readonly details: readonly string[]
  /** The body as it came, redacted, at most 2048 characters; empty where there was none. */
  readonly text: string

  constructor({ operation, status, text, redact }: Refusal) {
    const error = property(decodeBody(text), 'error')
    const code = textField(property(error, 'code'), redact)
    // A 404 whose `error` is a plain string was seen.
    const reason = textField(typeof error === 'string' ? error : property(error, 'message'), redact)
    const details = property(error, 'details')
    const said = [code, reason].filter(Boolean).join(': ')
    super(oneLine(`${operation} answered ${status}${said && ` ${said}`}`))
    this.status = status
    this.operation = operation
    this.code = code
    this.reason = reason
    this.details = Array.isArray(details) ? details.flatMap((detail) => textField(detail, redact) ?? []) : []
    this.text = keep(text, redact)
  }

  toJSON(): Record<string, unknown> {
    const { name, message, status, operation, code, reason, details, text } = this
    return { name, message, status, operation, code, reason, details, text }
  }
}
