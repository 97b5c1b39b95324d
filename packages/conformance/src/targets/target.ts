import type { Check, Fixtures } from '../check.ts'

/** One check's view of a target. */
export interface Session {
  readonly fetch: typeof fetch
  readonly management: URL
  readonly logging: URL
  readonly fixtures: Fixtures
  /** Whether `wait` moves a clock instead of sleeping. */
  readonly virtualClock: boolean
  now(): Date
  wait(ms: number): Promise<void>
  close(): Promise<void>
}

/** What the checks run against. */
export interface Target {
  readonly kind: 'mock' | 'emulator' | 'live'
  /**
   * Opens a session for one check.
   *
   * @param signal ends its pauses in an interrupted run
   */
  open(check: Pick<Check, 'burst'>, signal: AbortSignal): Promise<Session>
  /** Ends what all sessions share. */
  close(): Promise<void>
}
