import type { Check, CheckContext } from '../check.ts'

/** One check's view of a target. */
export interface Session
  extends Pick<
    CheckContext,
    'fetch' | 'bases' | 'fixtures' | 'virtualClock' | 'now' | 'wait' | 'alone' | 'rest' | 'refusedBelowLimit'
  > {
  /** Whether the target exists only for this session, so that no sweep is needed. */
  readonly disposable: boolean
  /** Values that the checks of a target share: `CheckContext.once`. */
  readonly shared: Map<string, Promise<unknown>>
  close(): Promise<void>
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
