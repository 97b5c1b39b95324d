import type { Operation } from '@cdn/api/contract'
import type { ReceivedResponse } from './response.ts'

/** Sends a request, and reads the response to its end. */
export type Send = (request: Request) => Promise<ReceivedResponse>

/** A request for an operation. */
export interface SentRequest {
  readonly operation: Operation
  /** In upper case. If it differs from the method of the operation, the rules do not judge the exchange. */
  readonly method: string
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  /** Undefined if the request has no body, or if the body is not text. */
  readonly body: string | undefined
  /** The target's time at which the request was sent. */
  readonly at: Date
}

/** A response, and the request that it answers. */
export interface Answered extends ReceivedResponse {
  readonly sent: SentRequest
}

/** A request and its response, as the rules judge it. */
export interface Exchange extends SentRequest {
  readonly response: ReceivedResponse
}
