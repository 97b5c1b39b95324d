import type { Operation } from '@cdn/api/contract'

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as it was received; undefined if the transport did not show it. */
  readonly raw?: RawBody | undefined
  /** The target's time at which the request was sent, after any wait for the rate limit; undefined if it was not measured. */
  readonly sentAt?: Date
}

/** Facts about the bytes of a body. */
export interface RawBody {
  readonly length: number
  readonly isUtf8: boolean
  /** Whether the body begins with a byte order mark, which the text no longer has. */
  readonly hasMark?: boolean
  /** Whether the encoded body is complete, not truncated; undefined if that is not known. */
  readonly isWhole?: boolean | undefined
}

/**
 * Sends a request, and reads the response to its end.
 *
 * @param sent the request as the history records it; by default, what its URL and its method show
 */
export type Send = (request: globalThis.Request, sent?: SentRequest) => Promise<ReceivedResponse>

/** Why a request must have no effect, such as a missing credential. */
export interface NoEffectReason {
  readonly name: string
  /** The requirements that an effect breaks. */
  readonly breaks: readonly string[]
  /** The requirements that an effect breaks as well if the request was refused. */
  readonly breaksIfRefused?: readonly string[]
  /** Whether the target may accept the request. Then it must have no effect only if the target refuses it. */
  readonly isOpen?: true
}

/** The credential of a request: one of the schemes of the contract, or undefined. */
export type SentCredential = { readonly scheme: string; readonly value: string } | undefined

/** The parts from which the request of an operation is made. Omitted parts are those of a plain valid request. */
export interface RequestParts {
  readonly path?: Readonly<Record<string, string>>
  /** Encodes a path parameter; `encodeURIComponent` by default. */
  readonly encode?: (value: string) => string
  readonly query?: Readonly<Record<string, string>>
  /** Spells the path of the operation in another way. */
  readonly spell?: (path: string) => string
  /** A raw query, which is added to `query` unchanged. */
  readonly search?: string
  /** Replaces the method of the operation. */
  readonly method?: string
  /** Headers that are added, or that replace a usual one. An empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>
  /** A string or bytes are sent unchanged; any other value as JSON, or as a form if the operation takes only that. */
  readonly body?: unknown
  /** Set if the request must have no effect. */
  readonly noEffect?: NoEffectReason | undefined
  /** The credential; a valid one for the operation by default. An explicit `undefined` sends no credential. */
  readonly credential?: SentCredential
}

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
  /** Set if the request must have no effect. */
  readonly noEffect?: NoEffectReason | undefined
  /** The parts from which the request was made, to send it again. */
  readonly request?: RequestParts
  /** The target's time at which the request was sent. Until the response is there, the time before any wait for the rate limit. */
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
