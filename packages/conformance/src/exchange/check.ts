import type { Effect, Operation, Requirement, Source } from '@cdn/api/contract'
import type { Schemas } from '../gen/schemas.ts'
import type { CaseCall } from './case.ts'
import type { Send } from './exchange.ts'
import type { HistoryEntry } from './history.ts'
import type { Bases } from './requested-operation.ts'

/** Source of a check. `robustness` means that neither the spec nor the supplement states the requirement. */
export type CheckSource = Source | 'robustness'

/** A requirement of the contract, or one that a check adds. */
export interface CheckedRequirement extends Omit<Requirement, 'source'> {
  readonly source: CheckSource
}

/** Values of the bearer tokens and API keys of a run. A fixtures file has names of environment variables instead. */
export type RunCredentials = NonNullable<Schemas['Credentials']>

/** The resources that a run may use. Ids are decimal strings. If a fixture is missing, its checks are skipped. */
export interface Fixtures extends Omit<Schemas['Fixtures'], 'credentials'> {
  readonly credentials: RunCredentials
}

/** A fixture, a credential or a virtual clock. A check is skipped if one of its needs is missing. */
export type Need =
  | Exclude<keyof Fixtures, 'credentials' | 'state'>
  | `credentials.${keyof RunCredentials}`
  | 'virtual-clock'

export interface CheckContext {
  /**
   * Verifies that the check may send an operation to the target.
   *
   * @throws Skip on a live target if the run may not write, or if no sweep can undo the write
   */
  permit(operation: Operation): void
  /**
   * Sends a request, and records the exchange. On a live target, requests to the logs wait for the rate limit, unless the check sends a
   * burst.
   */
  readonly send: Send
  readonly bases: Bases
  /** Every exchange with the target so far, of all checks that share it, in the order of their ends. */
  readonly history: readonly HistoryEntry[]
  /** Time in ms, by the target's clock, from which on the history is complete. */
  readonly since: number
  readonly fixtures: Fixtures
  /** The target's time: on a live target the local clock, corrected by the `Date` header. */
  now(): Date
  /** Whether `wait` moves a virtual clock instead of sleeping. */
  readonly virtualClock: boolean
  /**
   * Waits until the logs of a pull zone have had no request for `quietMs`, so that its rate limit has the full budget.
   */
  rest(zone: string, quietMs: number): Promise<void>
  /** Reserves the logs of pull zones while `work` runs. Other checks wait, and the requests of `work` are not delayed. */
  alone<T>(zones: readonly string[], work: () => Promise<T>): Promise<T>
  /** Makes a value once, for all checks that share it. A failed attempt is repeated on the next call. */
  once<T>(key: string, make: () => Promise<T>): Promise<T>
  /** The notes of earlier runs under this key. */
  recall(key: string): readonly Note[]
  /** Writes a note for later runs. A note must not hold a credential. */
  note(key: string, value: unknown): void
  /** Moves the virtual clock, or sleeps. */
  wait(ms: number): Promise<void>
  readonly signal: AbortSignal
  readonly seed: number
  /**
   * The case with which this check failed in an earlier run. The check sends it first, but only if the check itself could generate it,
   * because somebody may have edited the file.
   */
  readonly stored?: readonly CaseCall[] | undefined
  /** Whether the check sends only the stored case. */
  readonly replay: boolean
  /** Counts a generated case that exercised the requirement. */
  count(): void
  /** Records the target's behaviour at an unspecified point. */
  observe(id: string, value: unknown): void
}

/** A value that a run stores for later runs, with the time. */
export type Note = Schemas['Note']

/** A check declares what it verifies and what it needs. Its `run` throws if the target is wrong. */
export interface Check {
  /** The requirement's id, followed by a slash and a name if the requirement has several checks. */
  readonly id: string
  /** The literal in the source code from which `decide` made the id. */
  readonly decides?: string
  /** Names of the cases that the check sends, if the cases come from a table. */
  readonly sends?: readonly string[]
  readonly requirements: readonly string[]
  readonly source: CheckSource
  /** `supplement` if the check needs a parameter, field or path that the spec does not show. */
  readonly basis: Source
  readonly effect: Effect
  /** Part of the requirement, if the requirement covers several operations or schemes. Each part must pass. */
  readonly part?: string
  /** Whether the check exceeds the rate limit on purpose. */
  readonly burst?: true
  /** Whether the check sends a wrong API key. By default, a live run sends one per interface. */
  readonly wrongKey?: true
  readonly needs: readonly Need[]
  /** Fixtures that the check uses if they are present. */
  readonly uses?: readonly Need[]
  run(context: CheckContext): Promise<void>
}
