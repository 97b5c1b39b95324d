import type { Gap } from '../ledger/ledger.ts'
import type { BatchSource } from '../rows/batch.ts'
import type { Segment, Window } from '../segments/segment.ts'

/** Events of the engine for metrics, health, logs and progress bars. Times in ms since 1970. */
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
   * A window was rechecked. A count probe gives `same` or `changed`, or `unsure` if it got no usable response; without a
   * probe the outcome is `unknown`.
   */
  | { readonly type: 'recheck'; readonly window: Window; readonly outcome: 'same' | 'changed' | 'unsure' | 'unknown' }
  /** A window passed the end of the retention before its due recheck. */
  | { readonly type: 'recheck-missed'; readonly window: Window }
  /** A read returned fewer rows than the sink has. The sink keeps them. */
  | { readonly type: 'shrunk-read'; readonly window: Window; readonly missing: number }
  /** Rows went to the reject file. */
  | { readonly type: 'rejects'; readonly zone: string; readonly rows: number; readonly reasons: readonly string[] }
  /** A collector accepted a window except for some rows, which it would refuse again. */
  | { readonly type: 'refused'; readonly window: Window; readonly rows: number }
  /** Values in which a lone surrogate became U+FFFD. */
  | { readonly type: 'replaced'; readonly zone: string; readonly values: number }
  /** A range is lost. */
  | { readonly type: 'gap'; readonly gap: Gap }
  /** The exporter reads a day file of version 1 instead of version 2. */
  | { readonly type: 'bulk'; readonly zone: string; readonly day: number; readonly reason: 'failing' | 'deadline' }
  /** Another writer was first. Its segment stays, and the exporter compares its own rows with it. */
  | { readonly type: 'lost'; readonly window: Window; readonly revision: number }
  /** A part of a read from the platform or the sink arrived: a sign of life during long reads. */
  | { readonly type: 'progress'; readonly zone: string }
  /** Progress of a zone: `position` is the start of its oldest open window, `deadline` the time until which it must be read. */
  | {
      readonly type: 'position'
      readonly zone: string
      readonly position: number
      readonly closed: number
      readonly lag: number
      readonly deadline: number
    }
  /** A zone failed; no data is lost yet, and the next attempt is at `retryAt`. */
  | {
      readonly type: 'failed'
      readonly zone: string
      readonly error: Error
      readonly failures: number
      readonly retryAt: number
    }
  /** A cycle of a zone ended, with or without a failure. Without such events the reader is dead. `nextDue`: the next work. */
  | { readonly type: 'cycle'; readonly zone: string; readonly nextDue: number }
  /**
   * The platform's responses corrected a clock: the clock of this machine is off (`jump` false, once), or one of the two was
   * set while the exporter ran. `offset`: this machine's clock minus the platform's, in ms.
   */
  | { readonly type: 'clock'; readonly offset: number; readonly jump: boolean }
  /** The ledger held times in the platform's future. It drops them, and the next cycles rebuild them. */
  | { readonly type: 'repaired'; readonly zone: string; readonly position: number | undefined }

/** Receives engine events; must return at once and must not throw. */
export type Observe = (event: EngineEvent) => void
