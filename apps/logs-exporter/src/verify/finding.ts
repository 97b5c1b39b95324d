import type { Segment, Window } from '../segments/segment.ts'

/**
 * What can be wrong with a sink:
 * - `damaged`: a segment is not what was written: changed, cut short, gone while it was read, or of no segment's name
 * - `foreign`: a row stands where it does not belong, or is no row of the exporter's
 * - `overlap`: two windows share time, so their rows may be doubled
 * - `revision`: a revision is there without those before it
 * - `doubled`: a revision repeats another one
 * - `missing`: the platform shows rows that no segment holds
 * - `surplus`: segments hold more of a row than the platform shows
 */
export type FindingKind = 'damaged' | 'foreign' | 'overlap' | 'revision' | 'doubled' | 'missing' | 'surplus'

/** One difference. */
export interface Finding extends Window {
  readonly kind: FindingKind
  /** Of the segment, where it is one that is wrong. */
  readonly revision?: number
  /** How many rows are concerned, where that is known. */
  readonly rows?: number
  /** All of it in one sentence, for people. */
  readonly sentence: string
}

/** A finding of a window; the sentence begins with zone and window. */
export function findingOf(kind: FindingKind, window: Window, text: string, rows?: number): Finding {
  const { zone, from, to } = window
  const sentence = `Zone ${zone}, ${timeText(from)} to ${timeText(to)}: ${text}.`
  return { kind, zone, from, to, ...(rows !== undefined && { rows }), sentence }
}

/** A finding of a segment. */
export function segmentFinding(kind: FindingKind, segment: Segment, text: string, rows?: number): Finding {
  return { ...findingOf(kind, segment, `r${segment.revision} ${text}`, rows), revision: segment.revision }
}

/** `1 row`, `2 rows`. */
export const rowsText = (rows: number) => `${rows} ${rows === 1 ? 'row' : 'rows'}`

const timeText = (at: number) => new Date(at).toISOString()
