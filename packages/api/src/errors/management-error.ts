import { keep, oneLine } from '../redact.ts'
import { decodeBody, property, type Refusal, textField } from './refusal.ts'

/** The management interface answered, and not with a success (§7). Carries no credential. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError'
  readonly status: number
  /** Method and path template. */
  readonly operation: string
  /** The field ErrorKey of the error body (§2), for example `pullZone.not_found`. */
  readonly errorKey: string | undefined
  /** The field Field of the error body: which input was refused. */
  readonly field: string | undefined
  /** The field Message of the error body. */
  readonly reason: string | undefined
  /** The body as it came, redacted, at most 2048 characters; empty where there was none. */
  readonly text: string

  constructor({ operation, status, text, redact }: Refusal) {
    const body = decodeBody(text)
    const errorKey = textField(property(body, 'ErrorKey'), redact)
    const field = textField(property(body, 'Field'), redact)
    const reason = textField(property(body, 'Message'), redact)
    const said = [errorKey, field && `(${field})`, reason].filter(Boolean).join(' ')
    super(oneLine(`${operation} answered ${status}${said && `: ${said}`}`))
    this.status = status
    this.operation = operation
    this.errorKey = errorKey
    this.field = field
    this.reason = reason
    this.text = keep(text, redact)
  }

  toJSON(): Record<string, unknown> {
    const { name, message, status, operation, errorKey, field, reason, text } = this
    return { name, message, status, operation, errorKey, field, reason, text }
  }
}
