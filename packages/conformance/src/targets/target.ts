import type { Check, Fixtures } from '../core/check.ts'
import type { Notes } from '../runner/notes.ts'

/** One check's view of a target. */
export interface Session {
  readonly fetch: typeof fetch
  readonly management: URL
  readonly logging: URL
  /** Imported interfaces by name, if the target serves them. */
  readonly imported?: Readonly<Record<string, URL>>
  readonly fixtures: Fixtures
  /** Whether the target exists only for this session, so that writes need no undo. */
  readonly disposable: boolean
  /** Values that the checks of a target share: `CheckContext.once`. */
  readonly shared: Map<string, Promise<unknown>>
  readonly notes: Notes
  /** Whether `wait` moves a clock instead of sleeping. */
  readonly virtualClock: boolean
  now(): Date
  wait(ms: number): Promise<void>
  /** See `CheckContext.alone`. */
  alone<T>(zones: readonly string[], work: () => Promise<T>): Promise<T>
  /** See `CheckContext.rest`. */
  rest(zone: string, quietMs: number): Promise<void>
  close(): Promise<void>
}

/** What a session must know about its check. */
export type CheckUse = Pick<Check, 'burst' | 'effect' | 'needs' | 'uses'>

/** The platform under test. */
export interface CheckTarget {
  readonly kind: 'mock' | 'emulator' | 'live'
  /**
   * Opens a session for one check.
   *
   * @param signal ends the session's waits if the run is interrupted
   */
  open(check: CheckUse, signal: AbortSignal): Promise<Session>
  /** Closes what all sessions share. */
  close(): Promise<void>
}
