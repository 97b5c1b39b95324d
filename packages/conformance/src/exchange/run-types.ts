/** A run: its options, its plan, and the results of its checks. */
import type { Effect } from '@cdn/api/contract'
import type { Variants } from '@cdn/emulator'
import type { Case } from './case.ts'
import type { Check, CheckedRequirement, Fixtures } from './check.ts'
import type { CheckResult, ExchangeBreach, Observation } from './report-model.ts'

/** Checks, and the requirements that they verify. */
export interface CheckPlan {
  readonly checks: readonly Check[]
  /** The requirements of the contract, and those that the checks add. */
  readonly requirements: readonly CheckedRequirement[]
  /** Map from requirement id to the requirement's parts (`Check.part`), including parts without a selected check. */
  readonly parts: ReadonlyMap<string, readonly string[]>
  /** Ids of all checks and requirements of the suite, selected or not. */
  readonly ids: ReadonlySet<string>
}

export interface Selection {
  /** Ids of checks, or of requirements with all their checks; `*` stands for any characters. All by default. */
  readonly only?: readonly string[] | undefined
}

/** An effect that a live run may have, in addition to reading. */
export type Permission = Exclude<Effect, 'read'> | 'burst' | 'wrong-keys'

/** Settings of a run: the target, the limits and the selected checks. */
export interface RunConfig extends Selection {
  readonly target: Case['target']
  /** Base URLs of both interfaces; for `live` only. */
  readonly managementUrl?: string | undefined
  readonly loggingUrl?: string | undefined
  /** The fixtures, or the path of their file; for `live` only. */
  readonly fixtures?: Fixtures | string | undefined
  /** Effects that a live run may have; read only by default. */
  readonly allow?: readonly Permission[] | undefined
  /** Maximum number of requests of the preflight and the checks; unlimited by default. */
  readonly budget?: number | undefined
  /** Behaviours of the emulator at points that the spec leaves open; for `emulator` only. */
  readonly variants?: Partial<Variants> | undefined
  /** Seed of the random cases; the date (UTC) by default, such as 20260617. */
  readonly seed?: number | undefined
  /** A stored case. The run then sends only this case. */
  readonly replay?: Case | undefined
  /**
   * Folder of the reports. The memory, a file next to it, has the notes for later runs and the failed cases. If omitted,
   * the run stores nothing.
   */
  readonly out?: string | undefined
}

/** The result of a check, and what its exchanges showed besides: observations, and breaches of the contract. */
export interface CheckRun {
  readonly result: CheckResult
  readonly observations: readonly Observation[]
  readonly breaches: readonly ExchangeBreach[]
  readonly operations: readonly string[]
}

/** Returns the seed of a day: its UTC date, such as 20260617. */
export function seedOf(time: Date): number {
  return Number(time.toISOString().slice(0, 10).replaceAll('-', ''))
}
