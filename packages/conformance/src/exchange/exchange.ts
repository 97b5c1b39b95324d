import type { Operation } from '@cdn/api/contract'

/** A response with its whole body. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as it was received; undefined if the transport did not show it. */
  readonly raw?: RawBody | undefined
}

/** Facts about the bytes of a body. */
export interface RawBody {
  readonly length: number
  readonly isUtf8: boolean
  /** Whether the encoded body is complete, not truncated; undefined if that is not known. */
  readonly isWhole?: boolean | undefined
}

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
