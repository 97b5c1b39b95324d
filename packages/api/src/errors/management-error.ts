import { CallError, type Failure } from './call-error.ts'
import { type Answered, decodeBody, property, textField } from './refusal.ts'

/** The management interface answered, and not with a success (§7). Carries no credential. */
export class ManagementError extends CallError {
  override readonly name = 'ManagementError'
  declare readonly status: number
  /** The field ErrorKey of the error body (§2), for example `pullZone.not_found`. */
  readonly errorKey: string | undefined
  /** The field Field of the error body: which input was refused. */
  readonly field: string | undefined
  /** The field Message of the error body. */
  readonly reason: string | undefined

  constructor(failure: Failure & Answered) {
    const body = decodeBody(failure.text)
    const [errorKey, field, reason] = ['ErrorKey', 'Field', 'Message'].map((key) =>
      textField(property(body, key), failure.redact),
    )
    const said = [errorKey, field && `(${field})`, reason].filter(Boolean).join(' ')
    super(failure, `answered ${failure.response.status}${said && `: ${said}`}`)
    this.errorKey = errorKey
    this.field = field
    this.reason = reason
  }
}

/** One of a status that the contract shows. */
export interface ManagementErrorAt<Status extends number> extends ManagementError {
  readonly status: Status
}
