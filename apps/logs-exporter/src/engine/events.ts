import type { Gap, OpenGap } from '../ledger/ledger.ts'
import type { Segment, Window } from '../segments/segment.ts'

/** The fields of each event of the engine, by its type. Times are in ms since 1970. */
interface EngineEvents {
  /** A window was read for the first time. `segment` is undefined if the window has no rows to store. */
  window: { window: Window; segment: Segment | undefined }
  /** Another read of a window found rows that no earlier revision has, and published them. */
  revision: { segment: Segment }
  /**
   * A window was rechecked, and read again unless the count probe gave `same`. `changed`: the count differs, or the probe ended
   * with a timeout, a connection error or 5xx. `unsure`: the platform refused the probe. `unknown`: the row count was unknown, so
   * there was no probe.
   */
  recheck: { window: Window; outcome: 'same' | 'changed' | 'unsure' | 'unknown' }
  /** A window left the retention before its due recheck. */
  'recheck-missed': { window: Window }
  /** A read returned fewer rows than the sink has. The sink keeps them. */
  'shrunk-read': { window: Window; missing: number }
  /** Rows became dead letters: they are in a file, with the reasons. */
  rejects: { zone: string; rows: number; reasons: readonly string[] }
  /** Rows were written to standard output. */
  stdout: { rows: number }
  /** A segment could not be read for standard output. No data is lost. The next attempt is after `waitMs`. */
  'stdout-failed': { error: Error; failures: number; waitMs: number }
  /** Standard output left out a segment that stayed damaged. */
  'stdout-skipped': { error: Error }
  /** In some values, U+FFFD replaced a lone surrogate, bytes that are not UTF-8, or U+0000 if the sink cannot hold it. */
  replaced: { zone: string; values: number }
  /** Parts of a window cannot be read yet; the others are in the sink. Without gaps: all parts can be read now. */
  unread: { window: Window; gaps: readonly OpenGap[] }
  /** A range is lost. */
  gap: { gap: Gap }
  /** Another writer published the segment first. That segment stays, and the exporter compares its own rows with it. */
  conflict: { window: Window; revision: number }
  /** A part of a read from the platform or the sink has arrived. Shows that the process is alive during long reads. */
  progress: { zone: string }
  /** Progress of a zone. `position` is the start of its oldest open window, `closed` the end of its newest closed window. */
  position: { zone: string; position: number; closed: number; lag: number }
  /** A cycle of a zone failed, or the recheck of a window. No data is lost yet. The next attempt is at `retryAt`. */
  failed: { zone: string; error: Error; failures: number; retryAt: number; recheck?: Window }
  /** A cycle of a zone begins. */
  begun: { zone: string }
  /** A cycle of a zone ended, with or without a failure. The next cycle is due after `waitMs`. */
  cycle: { zone: string; waitMs: number }
  /** A request to the logging interface ended; without a status if no response arrived. */
  response: { operation: string; status: number | undefined }
  /** A request waited for the rate limit, in ms. */
  wait: { ms: number }
  /** A request failed and is sent again. */
  retry: object
  /** The platform answered 429. For `ms`, the zone sends no request. */
  rest: { zone: string; ms: number }
  /**
   * The platform's responses corrected a clock. Without `jump`, this machine's clock is off; reported once. With `jump`, one of
   * the two clocks was set while the exporter ran. `offset` is this machine's clock minus the platform's, in ms.
   */
  clock: { offset: number; jump: boolean }
  /** The ledger had entries later than the platform's current time. It dropped them; the next cycles record these windows again. */
  recovered: { zone: string; position: number | undefined }
}

/** Events of the engine for metrics, health, logs and progress lines. */
export type EngineEvent = {
  [Type in keyof EngineEvents]: Readonly<{ type: Type } & EngineEvents[Type]>
}[keyof EngineEvents]

/** Receives engine events. Must return immediately and must not throw. */
export type Observe = (event: EngineEvent) => void

/** Passes each event to several observers, also to those that are added to the list later. */
export function observeAll(observers: readonly Observe[]): Observe {
  return (event) => {
    for (const observe of observers) observe(event)
  }
}

/** Creates an observer from one function for each type of event that it needs. */
export function observeWith(
  handlers: {
    readonly [Type in keyof EngineEvents]?: (event: Readonly<EngineEvents[Type]>) => unknown
  },
): Observe {
  return (event) => {
    // Safe: the handler of a type accepts the events of that type. TypeScript does not connect the two unions.
    const handle = handlers[event.type] as Observe | undefined
    handle?.(event)
  }
}
