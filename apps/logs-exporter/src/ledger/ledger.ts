import { BeyondTimeError } from '../errors.ts'
import type { WindowReader } from '../reader/reader.ts'
import type { Segment, Window } from '../segments/segment.ts'
import type { Cursors } from './cursors.ts'

/** State of a window that was read at least once. */
export interface WindowState extends Window {
  /** Row count of the last read, including rejects. A count probe expects it. If undefined, the next recheck reads the window. */
  readonly rows: number | undefined
  /** Revision of the next segment. */
  readonly nextRevision: number
  readonly source: Segment['source']
  /** Time of the last read or probe, in ms since 1970, by the platform's clock. */
  readonly checkedAt: number
  /** Time of the next recheck, in ms since 1970; undefined after the last one. */
  readonly recheckDue: number | undefined
}

/** A range that could not be read in time. It is recorded permanently. It may begin within a window that was partly read. */
export interface Gap extends Window {
  readonly reason: string
  readonly noticedAt: number
}

/**
 * An index of the windows that have segments in the sink, plus state that the sink cannot hold: empty windows, rechecks and gaps.
 * What the ledger knows about segments can be rebuilt from the sink.
 */
export interface Ledger extends Cursors {
  /** Start of the oldest open window: from `begin` to here, windows and gaps follow without a hole. Undefined for a new zone. */
  position(zone: string): Promise<number | undefined>
  /** Sets the start of a zone. If windows and gaps are already recorded there, the position moves past them. */
  begin(zone: string, from: number): Promise<void>
  /** Windows that overlap `[from, to)`, in order. */
  windows(zone: string, from: number, to: number): Promise<WindowState[]>
  /** Windows whose recheck is due at `at`, oldest first. Returns at most `limit` windows. */
  due(zone: string, at: number, limit: number): Promise<WindowState[]>
  /** The earliest `recheckDue` of a zone's windows. */
  nextRecheck(zone: string): Promise<number | undefined>
  /**
   * Records a window as read, after its segment is published if it has rows. Replaces the window's earlier state. If the position
   * lies in the window (`from <= position < to`), the position moves to the end of the window, then past all windows and gaps that
   * follow without a hole. A zone without a position stays without one. In the same transaction, revisions up to `nextRevision` that
   * the ledger did not know become the next segments of every delivery.
   */
  record(state: WindowState): Promise<void>
  /** The gaps in order. Adjacent gaps are merged. */
  gaps(zone: string): Promise<Gap[]>
  /** Records a gap. Moves the position as `record` does. */
  recordGap(gap: Gap): Promise<void>
  /** Forgets windows that ended before a time. The position, the gaps, and segments that a delivery has not sent yet stay. */
  forget(zone: string, before: number): Promise<void>
  /**
   * Forgets windows that end after `at`, and gaps that end or were noticed after it. If there are any, or if the position is after
   * `at`, forgets the position, too. Windows that were last read after `at` become due for a recheck.
   *
   * @returns whether anything changed
   */
  forgetBeyond(zone: string, at: number): Promise<boolean>
  /** Forgets all other zones, but keeps their gaps. If such a zone returns later, it starts with the segments in the sink. */
  keepOnly(zones: readonly string[]): Promise<void>
  close(): Promise<void>
}

/**
 * Wraps a ledger so that it rejects entries in the platform's future, whatever the local clock says. These are windows and gaps
 * that end after the latest `Date` of a response, and positions after it.
 */
export function withinTime(ledger: Ledger, reader: Pick<WindowReader, 'shownTime'>): Ledger {
  const insist = (zone: string, to: number) => {
    const shown = reader.shownTime()
    if (to <= shown) return
    const latest = Number.isFinite(shown) ? new Date(shown).toISOString() : 'none'
    throw new BeyondTimeError(
      `Zone ${zone}: ${new Date(to).toISOString()} lies beyond the latest time that the platform has shown (${latest}), so the ledger does not record it yet.`,
    )
  }
  return {
    ...ledger,
    async begin(zone, from) {
      insist(zone, from)
      return ledger.begin(zone, from)
    },
    async record(state) {
      insist(state.zone, state.to)
      return ledger.record(state)
    },
    async recordGap(gap) {
      insist(gap.zone, gap.to)
      return ledger.recordGap(gap)
    },
  }
}
