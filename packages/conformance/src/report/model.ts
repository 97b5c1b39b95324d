import type { Effect, Ground } from '@cdn/api/contract'

/**
 * What became of a check or a requirement. `skip`: the target or the fixtures lack what it needs. `disabled`: the
 * configuration does not allow it. `error`: our own fault, or the target is away.
 */
export type Outcome = 'pass' | 'fail' | 'skip' | 'disabled' | 'error'

/** One request and what came back, with secrets already redacted and long bodies cut. */
export interface Exchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Why there is no response. */
  readonly error?: string
  readonly durationMs: number
}

/** What a check that did not pass leaves behind. */
export interface Evidence {
  readonly expected?: string
  readonly seen?: string
  /** The exchanges of the check, oldest first; the last few where there were many. */
  readonly exchanges: readonly Exchange[]
}

export interface CheckResult {
  readonly id: string
  /** Ids of the requirements that the check holds the target to. */
  readonly requirements: readonly string[]
  readonly ground: Ground
  readonly through: Ground
  readonly effect: Effect
  readonly outcome: Outcome
  readonly durationMs: number
  /** Number of requests that the check sent. */
  readonly requests: number
  /** Why the outcome is not a plain pass. */
  readonly message?: string
  /** Why this failure is known and does not make the run fail. */
  readonly known?: string
  readonly evidence?: Evidence
}

export interface RequirementResult {
  readonly id: string
  /** Section of the document, or the heading of a supplement's fact. */
  readonly section: string
  readonly text: string
  readonly ground: Ground
  /** Area of the operation, or the name of the interface where the sentence is about the interface as a whole. */
  readonly area: string
  /** `document` where at least one check that looks at it needs nothing beyond the document. */
  readonly through?: Ground
  /** Absent where the requirement is `unchecked`. */
  readonly outcome?: Outcome
  /** Ids of the checks that look at it. */
  readonly checks: readonly string[]
  /** Why no check can look at it. */
  readonly unchecked?: string
}

/** A point that nobody states, as it was seen on this target. */
export interface Observation {
  readonly id: string
  readonly value: unknown
  readonly baseline?: unknown
  readonly drift: boolean
}

/** An exchange that breaks a contract, whatever check it was sent for. */
export interface WireBreach {
  /** `wire.<operation>`. */
  readonly id: string
  readonly ground: Ground
  readonly message: string
  /** Id of the check during which it was seen. */
  readonly check: string
}

export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly disabled: number
  readonly errors: number
  readonly requests: number
}

/** The one result model; every report is made from it. Its JSON Schema is `report.schema.json`. */
export interface Report {
  readonly schema: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  readonly status: 'complete' | 'interrupted' | 'crashed'
  readonly exitCode: number
  readonly target: {
    readonly kind: 'mock' | 'emulator' | 'live'
    readonly managementUrl?: string
    readonly loggingUrl?: string
  }
  /** Interface name to the version of its contract. */
  readonly contract: Readonly<Record<string, string>>
  /** Counts of checks. */
  readonly summary: Summary
  readonly requirements: readonly RequirementResult[]
  readonly checks: readonly CheckResult[]
  readonly observations: readonly Observation[]
  readonly wire: readonly WireBreach[]
}
