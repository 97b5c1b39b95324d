/** Facts in which an operation differs from a usual one, as `operationFacts` in `scripts/client-facts.ts` defines it. */
export interface OperationFacts {
  /**
   * Value of the `Accept` header, if it is not `application/json`: the media types of all responses, those of successes first. If
   * successes have bodies, but none is JSON, any other media type follows.
   */
  readonly accept?: string
  /** Media type of the request body, if it is not JSON. */
  readonly contentType?: string
  /** Whether the operation can safely be sent twice, from its reviewed `x-effect`. Present only if the method suggests the opposite. */
  readonly isRepeatable?: boolean
  /** Whether the operation needs no credential. */
  readonly isOpen?: boolean
  /** What an error means, by its status. */
  readonly errors?: Readonly<Record<string, string>>
  /** Whether the operation is a GET, and one of its success responses has no body. */
  readonly mayBeEmpty?: boolean
}

/** Facts of an interface for its client; generated from the contract. */
export interface InterfaceFacts {
  /** Address of the public platform. */
  readonly baseUrl: string
  /** The header of the interface's API key; `AccessKey` by default (§5). */
  readonly keyHeader?: string
  /** Operations by method and path template; usual operations are omitted. */
  readonly operations: Readonly<Record<string, OperationFacts>>
}
