import type { Segment, Window } from '../segments/segment.ts'

/**
 * Kinds of differences:
 * - `damaged`: a segment was changed or truncated, was deleted during the read, or has another name
 * - `foreign`: a row belongs to another segment, or the exporter did not write it
 * - `overlap`: two windows overlap, so rows may be duplicated
 * - `revision`: a revision exists, but not all revisions before it
 * - `doubled`: a revision repeats another one
 * - `missing`: the platform shows rows that no segment holds
 * - `surplus`: segments hold more copies of a row than the platform shows
 */
export type FindingKind = 'damaged' | 'foreign' | 'overlap' | 'revision' | 'doubled' | 'missing' | 'surplus'

export interface Finding extends Window {
  readonly kind: FindingKind
  /** Revision of the segment, if the finding concerns one segment. */
  readonly revision?: number
  /** Number of affected rows, if it is known. */
  readonly rows?: number
  /** Complete description in one sentence. */
  readonly sentence: string
}

/** Creates the finding of a window. The sentence begins with the zone and the window. */
export function findingOf(kind: FindingKind, window: Window, text: string, rows?: number): Finding {
  const { zone, from, to } = window
  const sentence = `Zone ${zone}, ${timeText(from)} to ${timeText(to)}: ${text}.`
  return { kind, zone, from, to, ...(rows !== undefined && { rows }), sentence }
}

/** Creates the finding of a segment. */
export function segmentFinding(kind: FindingKind, segment: Segment, text: string, rows?: number): Finding {
  return { ...findingOf(kind, segment, `r${segment.revision} ${text}`, rows), revision: segment.revision }
}

/** Formats a number of things: `1 row`, `2 rows`. */
export const countText = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const timeText = (at: number) => new Date(at).toISOString()
