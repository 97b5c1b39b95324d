import type { Segment, Window } from '../segments/segment.ts'

/** What is known of a window that was read at least once. */
export interface WindowState extends Window {
  /** Rows that its last reading showed, rejects included: what a probe of the count must give. Undefined: read it again. */
  readonly rows: number | undefined
  /** The revision that the next segment gets. */
  readonly nextRevision: number
  readonly source: Segment['source']
  /** When it was last read or probed, in ms since 1970, by the platform's clock. */
  readonly lookedAt: number
  /** When it is to be looked at again, in ms since 1970; undefined where no look is left. */
  readonly lookDue: number | undefined
}

/** A range that could not be read in time, named for good. It may begin within a window of which the start was read. */
export interface Gap extends Window {
  readonly reason: string
  readonly noticedAt: number
}

/**
 * An index of what the sink holds, and what the sink cannot hold: empty windows, looks, gaps, and until when a zone is
 * busy. What it says of segments can be rebuilt from the sink.
 */
export interface Ledger {
  /** The end of the windows and gaps that follow each other without an open window, from `begin` on; undefined for a new zone. */
  position(zone: string): Promise<number | undefined>
  /** Says from where on a zone is exported. Windows and gaps that are recorded there already move the position on. */
  begin(zone: string, from: number, epoch: number): Promise<void>
  /** Windows that touch `[from, to)`, in order. */
  windows(zone: string, from: number, to: number): Promise<WindowState[]>
  /** Windows whose look is due at `at`, oldest first, at most `most` of them. */
  due(zone: string, at: number, most: number): Promise<WindowState[]>
  /** The earliest `lookDue` of a zone's windows. */
  nextLook(zone: string): Promise<number | undefined>
  /**
   * Records a window as read (after its segment is published, where it has rows) with the segment. What was recorded of
   * the window before is replaced. A window that holds the position (`from <= position < to`) moves it to its end and on
   * over the windows and gaps that follow. Nothing moves the position of a zone that has none.
   */
  record(state: WindowState, segment: Segment | undefined, epoch: number): Promise<void>
  /** In order; those that touch are one. */
  gaps(zone: string): Promise<Gap[]>
  /** Moves the position as a window does. */
  recordGap(gap: Gap, epoch: number): Promise<void>
  /** Forgets windows that ended before a time; position and gaps stay. */
  forget(zone: string, before: number, epoch: number): Promise<void>
  /** Until when the rate limit of a zone may be used up by requests already sent: `Infinity` where its last owner did not say. */
  busyUntil(zone: string): Promise<number | undefined>
  recordBusyUntil(zone: string, until: number, epoch: number): Promise<void>
  close(): Promise<void>
}
