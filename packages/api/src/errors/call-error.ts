import { keep, oneLine, type Redact } from '../redact.ts'

/** What every error of a call is built from. */
export interface Failure {
  /** Method and path template; ids and query stay out of messages. */
  readonly operation: string
  readonly attempt: number
  readonly redact: Redact
  /** The answer, where one came. */
  readonly response?: Response | undefined
  /** Its body as text; empty where there was none. */
  readonly text?: string | undefined
}

/** No header is documented; these are the ones by which platforms of this kind name a request. */
const idHeaders = ['cdn-requestid', 'x-request-id', 'request-id']

/** A call came to no success. Carries no credential: not in its message, its fields, its stack, its cause. */
export abstract class CallError extends Error {
  abstract override readonly name: string
  /** Method and path template. */
  readonly operation: string
  /** The status, where an answer came. */
  readonly status: number | undefined
  /** How often the request was made. */
  readonly attempts: number
  /** By which the platform's support finds the request; undefined where the answer names none. */
  readonly requestId: string | undefined
  /** The body as it came, redacted, at most 2048 characters; empty where there was none. */
  readonly text: string

  constructor({ operation, attempt, redact, response, text = '' }: Failure, what: string, cause?: { cause: unknown }) {
    super(oneLine(`${operation} ${what}`), cause)
    this.operation = operation
    this.status = response?.status
    this.attempts = attempt
    const id = idHeaders.map((name) => response?.headers.get(name)).find(Boolean)
    this.requestId = id ? keep(id, redact) : undefined
    this.text = keep(text, redact)
  }

  /** The fields and the message, for logs; without stack and cause. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), message: this.message }
  }
}
