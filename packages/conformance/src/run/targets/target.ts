import type { Check, CheckContext } from '../check.ts'

/** A value that the checks of a target share. */
export interface Shared {
  readonly value: Promise<unknown>
  /** Whether it was made from responses, which everybody who uses it judges. */
  hasResponses: boolean
}

/** One check's view of a target. Only a target with other traffic needs to reserve it, or to wait for it. */
export interface Session
  extends Pick<CheckContext, 'bases' | 'fixtures' | 'virtualClock' | 'now' | 'wait'>,
    Partial<Pick<CheckContext, 'alone' | 'rest' | 'refusedBelowLimit'>> {
  readonly fetch: typeof fetch
  /** Whether the target exists only for this session, so that no sweep is needed. */
  readonly disposable: boolean
  /** Values that the checks of a target share: `CheckContext.once`. */
  readonly shared: Map<string, Shared>
  close?(): Promise<void>
}

/** Time until a response, without waits of the suite, in ms. A target that waits before it sends a request sets it. */
export const platformMs = new WeakMap<Response, number>()

/** What a session must know about its check. */
export type CheckUse = Pick<Check, 'burst' | 'effect' | 'needs' | 'uses'>

/** The platform under test. */
export interface CheckTarget {
  /**
   * Opens a session for one check.
   *
   * @param signal ends the session's waits if the run is interrupted
   */
  open(check: CheckUse, signal: AbortSignal): Promise<Session>
  /** Closes what all sessions share, if anything. */
  close?(): Promise<void>
}

/** The clock of a live run. Tests pass a simulated clock. */
export interface LiveClock {
  /** Milliseconds since 1970. */
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
