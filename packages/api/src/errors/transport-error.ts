import { keep, type Redact, redactCause } from '../redact.ts'

/**
 * What went wrong: `network` no answer came; `aborted` the caller's signal fired; `redirect` the platform sent us
 * elsewhere, which is never followed; `body` a success whose body is cut short or not what was asked for.
 */
export type TransportKind = 'network' | 'aborted' | 'redirect' | 'body'

/** What a TransportError is built from. */
export interface TransportFailure {
  readonly kind: TransportKind
  /** Method and path template. */
  readonly operation: string
  /** What happened, to follow the operation in a sentence. */
  readonly what: string
  readonly redact: Redact
  readonly status?: number
  readonly text?: string
  readonly cause?: unknown
}

/** There is no usable answer. Carries no credential, in its cause neither. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportKind
  readonly operation: string
  /** The status, where an answer came. */
  readonly status: number | undefined
  /** The start of a body that could not be used, redacted, at most 2048 characters. */
  readonly text: string | undefined

  constructor({ kind, operation, what, redact, status, text, cause }: TransportFailure) {
    super(`${operation} ${what}`, cause === undefined ? undefined : { cause: redactCause(cause, redact) })
    this.kind = kind
    this.operation = operation
    this.status = status
    this.text = text === undefined ? undefined : keep(text, redact)
  }

  toJSON(): Record<string, unknown> {
    const { name, message, kind, operation, status, text } = this
    return { name, message, kind, operation, status, text }
  }
}
