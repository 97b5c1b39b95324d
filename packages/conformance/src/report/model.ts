import type { Effect, Source } from '@cdn/api/contract'
import type { Case, CaseCall } from '../core/case.ts'
import type { CheckSource } from '../core/check.ts'
import schema from './report.schema.json' with { type: 'json' }

/** The value of `Report.schema`: the identifier of the published JSON Schema. */
export const reportSchemaId: string = schema.$id

/**
 * Outcome of a check or a requirement. `skip`: the target or the fixtures lack something that the check needs.
 * `disabled`: the configuration does not allow the check. `error`: an error of the suite, or an unavailable target.
 */
export type Outcome = 'pass' | 'fail' | 'skip' | 'disabled' | 'error'

/** One request and its response, with secrets redacted and long bodies truncated. */
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
  /** Why no response arrived. */
  readonly error?: string
  readonly durationMs: number
}

/** Evidence of a check that did not pass. */
export interface Evidence {
  readonly expected?: string
  readonly seen?: string
  /** The exchanges of the check, oldest first. If there were many, only the last few. */
  readonly exchanges: readonly Exchange[]
  /** The smallest case that still fails, if the check generates cases. */
  readonly calls?: readonly CaseCall[]
}

export interface CheckResult {
  readonly id: string
  /** Ids of the requirements that the check verifies. */
  readonly requirements: readonly string[]
  readonly source: CheckSource
  readonly basis: Source
  readonly effect: Effect
  /** Part of the requirement, if it covers several operations or schemes. */
  readonly part?: string
  /** Whether this run leaves out the check by design: it runs on another day, or needs a virtual clock. */
  readonly deferred?: boolean
  readonly outcome: Outcome
  readonly durationMs: number
  /** Number of requests of the check. */
  readonly requests: number
  /** Number of generated cases that exercised the requirements, if the check generates cases. */
  readonly cases?: number
  /** Reason for any outcome other than a plain pass. */
  readonly message?: string
  /** Why this failure is expected and does not fail the run. */
  readonly expectedFailure?: string
  readonly evidence?: Evidence
}

export interface RequirementResult {
  readonly id: string
  /** Section of the spec, or the heading of a supplement's fact. */
  readonly section: string
  readonly text: string
  readonly source: CheckSource
  /** Area of the operation, or the name of the interface if the requirement covers the whole interface. */
  readonly area: string
  /** `spec` if each part has a check that relies on the spec only. */
  readonly basis?: Source
  /** Missing if the requirement is `unchecked`. */
  readonly outcome?: Outcome
  /** Why the requirement is undecided, if the outcome is neither pass nor fail. */
  readonly reason?: string
  /** Whether it is undecided only because of deferred checks. `--require` does not count it. */
  readonly deferred?: true
  /** Ids of the checks that verify the requirement. */
  readonly checks: readonly string[]
  /** Number of cases that exercised the requirement. A check that generates no cases is one case. */
  readonly cases: number
  /** Why no check can observe the requirement. */
  readonly unchecked?: string
}

/** The behaviour of this target at an unspecified point. */
export interface Observation {
  readonly id: string
  readonly value: unknown
  readonly baseline?: unknown
  readonly drift: boolean
}

/** An exchange that breaks the contract, found during any check. */
export interface ExchangeBreach {
  /** `exchange.<operation>`. */
  readonly id: string
  readonly source: Source
  /** Ids of the broken requirements that no check can test on purpose. */
  readonly requirements: readonly string[]
  readonly message: string
  /** Id of the check that sent the request. */
  readonly check: string
}

export interface ReportSummary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly disabled: number
  readonly errors: number
  readonly requests: number
}

/** What can fail a run: a contradicted source, or a difference from the baseline. */
export type FailOn = CheckSource | 'drift'

/** Number of cases that broke a constraint of the contract, or met it at its boundary. */
export interface ConstraintCoverage {
  readonly operation: string
  /** Such as `query limit maximum`. */
  readonly constraint: string
  readonly broken: number
  readonly met: number
}

/** Time until the response of an operation, in ms, over the requests of a live run. */
export interface OperationLatency {
  readonly operation: string
  readonly requests: number
  readonly medianMs: number
  readonly p95Ms: number
}

/**
 * What changed between two nights. `failing`: newly failing. `flaky`: fails again, after at least two changes within 14 nights.
 * `undecided`: passed or failed before.
 */
export type TransitionKind = 'failing' | 'fixed' | 'undecided' | 'flaky' | 'drift'

/** A change of a requirement, or the drift of an observation. Times are ISO 8601. */
export interface Transition {
  readonly kind: TransitionKind
  /** Id of the requirement or observation, or of a check that belongs to no requirement. */
  readonly id: string
  readonly firstFailed?: string
  readonly lastPassed?: string
}

/** What the history says about a run. */
export interface Changes {
  /** Start of the last complete run before this one against the same target. */
  readonly lastNight?: string
  readonly transitions: readonly Transition[]
  /** Start of the first failed run, by failing requirement or check. */
  readonly failingSince: Readonly<Record<string, string>>
}

/** The result of a run. Every report is made from this model. Its JSON Schema is `report.schema.json`. */
export interface Report {
  readonly schema: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly durationMs: number
  readonly status: 'complete' | 'interrupted' | 'crashed'
  readonly exitCode: number
  /** Seed of the random cases. */
  readonly seed: number
  /** What fails the run besides errors. The reports show the other failures as prominently. */
  readonly failOn: readonly FailOn[]
  /** Ids of the required requirements (`--require`). */
  readonly required?: readonly string[]
  readonly target: {
    readonly kind: Case['target']
    readonly managementUrl?: string
    readonly loggingUrl?: string
  }
  /** Version of the contract by interface name. */
  readonly contract: Readonly<Record<string, string>>
  /** Counts of checks. */
  readonly summary: ReportSummary
  readonly requirements: readonly RequirementResult[]
  readonly checks: readonly CheckResult[]
  readonly observations: readonly Observation[]
  readonly breaches: readonly ExchangeBreach[]
  /** The constraints of each operation of the contract that a check can send. */
  readonly constraints: readonly ConstraintCoverage[]
  /** By operation; live runs only. */
  readonly latency?: readonly OperationLatency[]
  /** Missing until the report is written next to a history. */
  readonly changes?: Changes
}
