import type { CallDescription } from '../fetch/call.ts'
import { redactAndCut } from '../redact.ts'

/** The contract states no header for the request id. These names are common on similar platforms. */
const idHeaders = ['cdn-requestid', 'x-request-id', 'request-id']

/** An error of a call. Neither its fields nor its cause hold a credential. */
export abstract class CallError extends Error {
  /** Method and path template, such as `GET /pullzone/{id}`; the path as sent if the request is not from a client of this package. */
  readonly operation: string
  readonly host: string
  /** The request id for the platform's support; undefined if the response has none. */
  readonly requestId: string | undefined

  /** @param what clause that follows the operation in the message, such as `got no response`. The message is one line */
  constructor(
    { operation, host = '', redact = String, response }: CallDescription,
    what: string,
    options?: ErrorOptions,
  ) {
    super(redact(`${operation}${host && ` at ${host}`} ${what}`).replace(/\p{Cc}+/gu, ' '), options)
    const id = idHeaders.map((name) => response?.headers.get(name)).find(Boolean)
    this.operation = operation
    this.host = host
    this.requestId = id ? redactAndCut(id, redact) : undefined
  }

  /** Returns the fields and the message, without stack and cause. For logs. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), message: this.message } // without the types of the fields
  }
}
