import type { Lines } from '../rows/encoder.ts'
import type { Segment, Window } from '../segments/segment.ts'
import type { SinkError } from './sink-error.ts'

/** What became of a segment that was to be published. */
export type Published =
  /** It stands in the sink now, or stood there already with the same content; but for rows that a receiver has refused for good. */
  | { readonly outcome: 'published'; readonly segment: Segment; readonly refused?: number }
  /** Another content was first under this window and revision; ours is gone. */
  | { readonly outcome: 'lost'; readonly segment: Segment }

/** A segment on its way: nothing of it can be seen by a consumer until it is published. */
export interface SegmentWriter {
  /** Resolves when the sink can take more: this is the back-pressure. */
  write(lines: Lines): Promise<void>
  /** Makes it visible for good, or learns that another one was first. Rows must have been written; an empty window has no segment. */
  publish(): Promise<Published>
  /** Leaves nothing behind that a consumer could match. */
  discard(): Promise<void>
}

/** Takes what is odd in a sink, as a sentence. */
export type Odd = (error: SinkError) => void

/** Where segments go. The sink is the truth; the ledger can be rebuilt from it. */
export interface Sink {
  readonly name: string
  /** `exactly-once`: segments can be listed and read back. `at-least-once` (stdout, OTLP): they cannot. */
  readonly guarantee: 'exactly-once' | 'at-least-once'
  /** U+0000 has no place in its texts: the encoder has to replace it (§7 of the design), so that what is read back equals what was written. */
  readonly replacesNul?: true
  /** Looks whether the sink can be used as configured; throws one sentence that says what to change. */
  check(signal: AbortSignal): Promise<void>
  /**
   * @param epoch of the lease under which it is written; 0 without a fleet
   */
  begin(
    window: Window,
    revision: number,
    source: Segment['source'],
    epoch: number,
    signal: AbortSignal,
  ): Promise<SegmentWriter>
  /**
   * Every segment of a zone whose window touches `[from, to)`, in order of window and revision.
   *
   * @param odd hears of what is passed over because it is damaged or has the name of no segment; where it is absent, damage
   *   is thrown
   */
  segments(zone: string, from: number, to: number, signal: AbortSignal, odd?: Odd): AsyncIterable<Segment>
  /** The lines of a segment, in whole lines. @throws where content and name or digest disagree */
  read(segment: Segment, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Zones that have segments. */
  zones(signal: AbortSignal): AsyncIterable<string>
  close(): Promise<void>
}
