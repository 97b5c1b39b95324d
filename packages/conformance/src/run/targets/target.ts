import type { Check, CheckContext } from '../../exchange/check.ts'
import type { History } from '../../exchange/history.ts'

/** A value that the checks of a target share. */
export interface Shared {
  readonly value: Promise<unknown>
  /** Whether the value was made from responses, so that each check that uses it judges these responses. */
  hasResponses: boolean
}

/** One check's view of a target. Only a live target has `alone` and `rest`, because its checks share pull zones. */
export interface Session
  extends Pick<CheckContext, 'bases' | 'fixtures' | 'virtualClock' | 'now' | 'wait'>,
    Partial<Pick<CheckContext, 'alone' | 'rest'>> {
  readonly fetch: typeof fetch
  /** Whether the target exists only for this session, so that no sweep is needed. */
  readonly disposable: boolean
  /** Whether the target forgets each change, so that no read can show one. */
  readonly stateless?: true
  /** Values that the checks of a target share: `CheckContext.once`. */
  readonly shared: Map<string, Shared>
  /** Every exchange with the target, of all sessions that share it. */
  readonly history: History
  close?(): Promise<void>
}

/** Time until a response, without waits of the suite, in ms. A target that waits before it sends a request sets it. */
export const platformMs = new WeakMap<Response, number>()

/** Properties of a check that decide which resources its session reserves. */
export type CheckUse = Pick<Check, 'burst' | 'effect' | 'needs' | 'uses'>

/** The platform under test. */
export interface CheckTarget {
  /**
   * Opens a session for one check.
   *
   * @param signal ends the session's waits if the run is interrupted
   */
  open(check: CheckUse, signal: AbortSignal): Promise<Session>
  /** Closes servers that all sessions share. */
  close?(): Promise<void>
}

/** The clock of a live run. Tests pass a simulated clock. */
export interface LiveClock {
  /** Milliseconds since 1970. */
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
