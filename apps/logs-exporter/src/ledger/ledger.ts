import type { Segment, Window } from '../segments/segment.ts'

/** State of a window that was read at least once. */
export interface WindowState extends Window {
  /** Row count of the last read, including rejects: the expected result of a count probe. Undefined: read the window again. */
  readonly rows: number | undefined
  /** Revision of the next segment. */
  readonly nextRevision: number
  readonly source: Segment['source']
  /** Time of the last read or probe, in ms since 1970, by the platform's clock. */
  readonly checkedAt: number
  /** Time of the next recheck, in ms since 1970; undefined after the last one. */
  readonly recheckDue: number | undefined
}

/** A range that could not be read in time, recorded permanently. It may begin within a window whose start was read. */
export interface Gap extends Window {
  readonly reason: string
  readonly noticedAt: number
}

/**
 * An index of the sink, plus state that the sink cannot hold: empty windows, rechecks, gaps, and until when a zone is busy.
 * The data about segments can be rebuilt from the sink.
 */
export interface Ledger {
  /** End of the adjacent windows and gaps, from `begin` on without an open window; undefined for a new zone. */
  position(zone: string): Promise<number | undefined>
  /** Sets the start of a zone. Windows and gaps that are already recorded there move the position on. */
  begin(zone: string, from: number): Promise<void>
  /** Windows that overlap `[from, to)`, in order. */
  windows(zone: string, from: number, to: number): Promise<WindowState[]>
  /** Windows whose recheck is due at `at`, oldest first, `limit` at most. */
  due(zone: string, at: number, limit: number): Promise<WindowState[]>
  /** The earliest `recheckDue` of a zone's windows. */
  nextRecheck(zone: string): Promise<number | undefined>
  /**
   * Records a window as read, with its segment (already published) if it has rows. Replaces the earlier state of the window. A
   * window that holds the position (`from <= position < to`) moves it to its end and on over adjacent windows and gaps. If the
   * zone has no position, it stays without one.
   */
  record(state: WindowState, segment: Segment | undefined): Promise<void>
  /** The gaps in order; adjacent ones are merged. */
  gaps(zone: string): Promise<Gap[]>
  /** Moves the position as a window does. */
  recordGap(gap: Gap): Promise<void>
  /** Forgets windows that ended before a time; position and gaps stay. */
  forget(zone: string, before: number): Promise<void>
  /** Until when requests already sent may use up the zone's rate limit; `Infinity` if the last process recorded nothing. */
  busyUntil(zone: string): Promise<number | undefined>
  recordBusyUntil(zone: string, until: number): Promise<void>
  /**
   * Forgets windows and gaps beyond a time or recorded beyond it, and then the position, too. Windows whose last read lies beyond
   * the time are due for a recheck.
   *
   * @returns whether there was such an entry
   */
  forgetBeyond(zone: string, at: number): Promise<boolean>
  /** Forgets all other zones, except for their gaps. A zone that returns later starts with the segments in the sink. */
  keepOnly(zones: readonly string[]): Promise<void>
  close(): Promise<void>
}
