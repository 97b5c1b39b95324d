import type { Gap } from '../ledger/ledger.ts'
import type { BatchSource, Segment, Window } from '../segments/segment.ts'

/** Events of the engine for metrics, health, logs and progress bars. Times are in ms since 1970. */
export type EngineEvent =
  /** A window was read for the first time. `segment` is undefined if it has no rows. */
  | {
      readonly type: 'window'
      readonly window: Window
      readonly segment: Segment | undefined
      readonly source: BatchSource
    }
  /** A recheck found rows that no earlier revision has, and published them. */
  | { readonly type: 'revision'; readonly segment: Segment }
  /**
   * A window was rechecked. A count probe gives `same` or `changed`, or `unsure` if it got no usable response. Without a probe, the
   * outcome is `unknown`.
   */
  | { readonly type: 'recheck'; readonly window: Window; readonly outcome: 'same' | 'changed' | 'unsure' | 'unknown' }
  /** A window left the retention before its due recheck. */
  | { readonly type: 'recheck-missed'; readonly window: Window }
  /** A read returned fewer rows than the sink has. The sink keeps them. */
  | { readonly type: 'shrunk-read'; readonly window: Window; readonly missing: number }
  /** Rows went to the reject file. */
  | { readonly type: 'rejects'; readonly zone: string; readonly rows: number; readonly reasons: readonly string[] }
  /** A delivery sent a piece, of which the receiver permanently refused `refused` rows. */
  | { readonly type: 'delivered'; readonly delivery: string; readonly rows: number; readonly refused: number }
  /** A delivery failed. No data is lost. The next attempt is after `waitMs`. */
  | {
      readonly type: 'delivery-failed'
      readonly delivery: string
      readonly error: Error
      readonly failures: number
      readonly waitMs: number
    }
  /** In some values, a lone surrogate became U+FFFD. */
  | { readonly type: 'replaced'; readonly zone: string; readonly values: number }
  /** A range is lost. */
  | { readonly type: 'gap'; readonly gap: Gap }
  /** The exporter reads a day file of version 1 instead of version 2. */
  | { readonly type: 'bulk'; readonly zone: string; readonly day: number; readonly reason: 'failing' | 'deadline' }
  /** Another writer published the segment first. That segment stays, and the exporter compares its own rows with it. */
  | { readonly type: 'lost'; readonly window: Window; readonly revision: number }
  /** A part of a read from the platform or the sink has arrived. Shows that the process is alive during long reads. */
  | { readonly type: 'progress'; readonly zone: string }
  /** Progress of a zone. `position` is the start of its oldest open window, `closed` the end of its newest closed one. */
  | {
      readonly type: 'position'
      readonly zone: string
      readonly position: number
      readonly closed: number
      readonly lag: number
    }
  /** A zone failed. No data is lost yet. The next attempt is at `retryAt`. */
  | {
      readonly type: 'failed'
      readonly zone: string
      readonly error: Error
      readonly failures: number
      readonly retryAt: number
    }
  /** A cycle of a zone begins. */
  | { readonly type: 'begun'; readonly zone: string }
  /** A cycle of a zone ended, with or without a failure. The next one is due after `waitMs`. A reader without cycles is dead. */
  | { readonly type: 'cycle'; readonly zone: string; readonly waitMs: number }
  /** The platform answered 429. For `ms`, the zone sends no request. */
  | { readonly type: 'rest'; readonly zone: string; readonly ms: number }
  /**
   * The platform's responses corrected a clock. Without `jump`, this machine's clock is off; reported once. With `jump`, one of
   * the two clocks was set while the exporter ran. `offset` is this machine's clock minus the platform's, in ms.
   */
  | { readonly type: 'clock'; readonly offset: number; readonly jump: boolean }
  /** The ledger had entries later than the platform's current time. It dropped them; the next cycles record these windows again. */
  | { readonly type: 'repaired'; readonly zone: string; readonly position: number | undefined }

/** Receives engine events. Must return immediately and must not throw. */
export type Observe = (event: EngineEvent) => void

/** One function for each type of event that an observer needs. */
export type EventHandlers = {
  readonly [Type in EngineEvent['type']]?: (event: Extract<EngineEvent, { type: Type }>) => unknown
}

/** Creates an observer that calls the handler of each event. */
export function observeWith(handlers: EventHandlers): Observe {
  return (event) => {
    // Safe: the handler of a type accepts the events of that type. TypeScript does not connect the two unions.
    const handle = handlers[event.type] as Observe | undefined
    handle?.(event)
  }
}
