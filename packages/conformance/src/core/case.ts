/** One call of a case. It names the kind of its credential, never the credential. */
export interface CaseCall {
  /** `x-name` of the operation. */
  readonly operation: string
  /** The scheme, or another kind of credential that the check knows; omitted without a credential. */
  readonly credential?: string
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Label of a case that changes a valid request, such as `query limit maximum broken`. */
  readonly input?: string
  /** The shrunk text of such a case. */
  readonly text?: string
}

/** What shows a failure again. It holds no secret. */
export interface Case {
  /** The kind of target that failed. */
  readonly target: 'mock' | 'emulator' | 'live'
  /** Id of the check. */
  readonly check: string
  /** Seed of the check's random cases. */
  readonly seed: number
  /** The smallest calls that still fail, in order. Empty if the check always sends the same calls. */
  readonly calls: readonly CaseCall[]
}
