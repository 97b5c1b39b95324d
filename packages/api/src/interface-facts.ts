/** Facts of an operation that differs from the usual. */
export interface OperationFacts {
  /** Media types of its success, if not JSON. */
  readonly accept?: string
  /** Media type of its request body, if not JSON. */
  readonly contentType?: string
  /** Whether it can be sent twice, if its method does not decide it: from the contract's `x-effect`, after a review. */
  readonly isRepeatable?: boolean
  /** Whether it needs no credential. */
  readonly isOpen?: boolean
  /** Whether it is a read whose success has no body. */
  readonly mayBeEmpty?: boolean
}

/** Facts of an interface for its client; generated from the contract. */
export interface InterfaceFacts {
  /** Address of the public platform. */
  readonly baseUrl: string
  /** The header of its API key; `AccessKey` by default (§5). */
  readonly keyHeader?: string
  /** By method and path template; usual operations are omitted. */
  readonly operations: Readonly<Record<string, OperationFacts>>
}
