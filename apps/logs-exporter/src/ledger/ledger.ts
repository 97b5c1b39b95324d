import type { Segment, Window } from '../segments/segment.ts'

/** What is known of a window that was read at least once. */
export interface WindowState extends Window {
  /** Rows of all its segments. */
  readonly rows: number
  /** The revision that the next segment gets. */
  readonly nextRevision: number
  readonly source: Segment['source']
  /** When it was last read or probed, in ms since 1970, by the platform's clock. */
  readonly lookedAt: number
  /** How many of the ages at which settled windows are looked at again are done. */
  readonly looks: number
}

/** A range that could not be read in time, named for good. */
export interface Gap extends Window {
  readonly reason: string
  readonly noticedAt: number
}

/**
 * An index of what the sink holds, and what the sink cannot hold: empty windows, looks, gaps, and until when a zone is
 * busy. What it says of segments can be rebuilt from the sink.
 */
export interface Ledger {
  /** The end of the windows that follow each other without an open one, from the first on; undefined for a new zone. */
  position(zone: string): Promise<number | undefined>
  windows(zone: string, from: number, to: number): Promise<WindowState[]>
  /** Records a window as read (after its segment is published, where it has rows) with the segment. */
  record(state: WindowState, segment: Segment | undefined, epoch: number): Promise<void>
  gaps(zone: string): Promise<Gap[]>
  recordGap(gap: Gap, epoch: number): Promise<void>
  /** Until when the rate limit of a zone may be used up by requests already sent. */
  busyUntil(zone: string): Promise<number | undefined>
  recordBusyUntil(zone: string, until: number, epoch: number): Promise<void>
  close(): Promise<void>
}
