import type { Gap } from '../ledger/ledger.ts'
import type { Source } from '../rows/encoder.ts'
import type { Segment, Window } from '../segments/segment.ts'

/** What the engine tells of: enough for metrics, health, structured logs and progress bars. Times in ms since 1970. */
export type EngineEvent =
  /** A window was read for the first time. `segment` is undefined where it has no rows. */
  | { readonly type: 'window'; readonly window: Window; readonly segment: Segment | undefined; readonly source: Source }
  /** A look found rows that no earlier revision has, and they are in the sink. */
  | { readonly type: 'revision'; readonly segment: Segment }
  /** A window was looked at again: `same` and `changed` by a probe of the count, `unsure` where the probe got no answer, `unknown` without one. */
  | { readonly type: 'look'; readonly window: Window; readonly outcome: 'same' | 'changed' | 'unsure' | 'unknown' }
  /** A look that was due could not be done before the platform forgot the window. */
  | { readonly type: 'look-missed'; readonly window: Window }
  /** A reading lacks rows that the sink has. They stay. */
  | { readonly type: 'anomaly'; readonly window: Window; readonly missing: number }
  /** Rows went to the reject file. */
  | { readonly type: 'rejects'; readonly zone: string; readonly rows: number; readonly reasons: readonly string[] }
  /** A receiver has taken a window but for some rows, which it would refuse again. */
  | { readonly type: 'refused'; readonly window: Window; readonly rows: number }
  /** Values in which a lone surrogate became U+FFFD. */
  | { readonly type: 'replaced'; readonly zone: string; readonly values: number }
  /** A range is lost, for the reason given. */
  | { readonly type: 'gap'; readonly gap: Gap }
  /** A day file of version 1 is read instead of version 2. */
  | { readonly type: 'bulk'; readonly zone: string; readonly day: number; readonly reason: 'failing' | 'deadline' }
  /** Another writer was first; what it wrote stays, and ours is compared with it. */
  | { readonly type: 'lost'; readonly window: Window; readonly revision: number }
  /** A part of a reading was taken, or of what the sink has: a sign of life where nothing is finished for long. */
  | { readonly type: 'progress'; readonly zone: string }
  /** Where a zone is: `position` is the start of its oldest open window, `deadline` when that must have been read. */
  | {
      readonly type: 'position'
      readonly zone: string
      readonly position: number
      readonly settled: number
      readonly lag: number
      readonly deadline: number
    }
  /** A zone could not be worked on; nothing is lost yet, and it is tried again at `retryAt`. */
  | {
      readonly type: 'failed'
      readonly zone: string
      readonly error: Error
      readonly failures: number
      readonly retryAt: number
    }
  /** A turn of a zone is over, well or not: whoever hears none for long has a dead reader. `nextDue`: when it has work again. */
  | { readonly type: 'turn'; readonly zone: string; readonly nextDue: number }
  /** The right to a zone was lost, or is about to end; its work was dropped. */
  | { readonly type: 'fenced'; readonly zone: string }

/** Takes what the engine tells; must not throw, and returns at once. */
export type Observe = (event: EngineEvent) => void
