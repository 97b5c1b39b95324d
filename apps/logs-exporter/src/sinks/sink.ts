import { SinkError } from '../errors.ts'
import type { Lines } from '../rows/encoder.ts'
import { overlaps, rangeText, type Segment, type SegmentId, type Window } from '../segments/segment.ts'

/**
 * Result of publishing a segment, and the segment of its window and revision in the sink. `published`: that segment has the new
 * content; an earlier attempt or another writer may have created it.
 * `conflict`: another writer was first and published other content; the new content is dropped.
 */
export interface Published {
  readonly outcome: 'published' | 'conflict'
  readonly segment: Segment
}

/** A segment in progress. Consumers do not see it until it is published. */
export interface SegmentWriter {
  /** Resolves when the sink accepts more (back-pressure), and no longer needs the bytes. */
  write(lines: Lines): Promise<void>
  /** Publishes the segment permanently, unless another writer was first. It must have rows: an empty window has no segment. */
  publish(): Promise<Published>
  /** Drops the segment. No file that a consumer could match remains. */
  discard(): Promise<void>
}

/** Called for each part of a sink that is skipped, with an error whose message is one sentence. */
export type OnSkipped = (error: SinkError) => void

/** Destination of segments. The sink is the truth; the ledger can be rebuilt from it. */
export interface Sink {
  readonly name: string
  /** Whether texts cannot contain U+0000. The encoder then replaces it, so that a segment reads back as it was written. */
  readonly replacesNul?: true
  /** Whether the sink can use `Lines.columns`, so that it need not parse the lines. */
  readonly takesValues?: boolean | undefined
  /** Checks that the sink works as configured. @throws SinkError with one sentence that says what to change */
  check(signal: AbortSignal): Promise<void>
  /** Starts a segment. Consumers do not see it until it is published. */
  begin(segment: SegmentId, signal: AbortSignal): Promise<SegmentWriter>
  /** The ids of all segments of a zone whose windows overlap a range, in order. Their content is not read. */
  list(range: Window, signal: AbortSignal): AsyncIterable<SegmentId>
  /**
   * All segments of a zone whose windows overlap a range, in order of window and revision.
   *
   * @param onSkipped receives what is skipped because it is damaged or does not have the name of a segment; if omitted, damage is
   *   thrown
   */
  segments(range: Window, signal: AbortSignal, onSkipped?: OnSkipped): AsyncIterable<Segment>
  /** The content of a segment, in pieces of whole lines. @throws SinkError if content and name or digest disagree */
  read(segment: Segment, signal: AbortSignal): AsyncIterable<Uint8Array>
  zones(signal: AbortSignal): AsyncIterable<string>
  close(): Promise<void>
}

/** The segments of exactly one window, in order. */
export async function segmentsOf(
  sink: Pick<Sink, 'segments'>,
  window: Window,
  signal: AbortSignal,
): Promise<Segment[]> {
  const segments: Segment[] = []
  for await (const segment of sink.segments(window, signal))
    if (segment.from === window.from && segment.to === window.to) segments.push(segment)
  return segments
}

/**
 * Refuses a window that overlaps a segment of another window. This happens if two exporters with different window lengths work on
 * one zone. The sink would then have rows twice.
 *
 * @param present windows of the zone that have segments
 * @throws SinkError (overlap)
 */
export function refuseOverlap(window: Window, present: Iterable<Window>): void {
  const { zone, from, to } = window
  for (const other of present) {
    if (!overlaps(other, window) || (other.from === from && other.to === to)) continue
    throw new SinkError(
      'overlap',
      `The sink has a segment of zone ${zone} from ${rangeText(other)}, which overlaps the window from ${rangeText(window)}: another exporter with a different window length works on the zone; configure the same window in all exporters.`,
    )
  }
}
