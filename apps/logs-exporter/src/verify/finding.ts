import type { Segment, Window } from '../segments/segment.ts'

/**
 * Kinds of differences:
 * - `damaged`: a segment differs from what was written: changed, truncated, deleted while it was read, or with another name
 * - `foreign`: a row belongs to another segment, or was not written by the exporter
 * - `overlap`: two windows overlap, so rows may be duplicated
 * - `revision`: a revision exists without those before it
 * - `doubled`: a revision repeats another one
 * - `missing`: the platform shows rows that no segment holds
 * - `surplus`: segments hold more copies of a row than the platform shows
 */
export type FindingKind = 'damaged' | 'foreign' | 'overlap' | 'revision' | 'doubled' | 'missing' | 'surplus'

/** One difference. */
export interface Finding extends Window {
  readonly kind: FindingKind
  /** Of the segment, if the finding concerns one. */
  readonly revision?: number
  /** Number of affected rows, if known. */
  readonly rows?: number
  /** Complete description in one sentence. */
  readonly sentence: string
}

/** Creates the finding of a window; the sentence begins with zone and window. */
export function findingOf(kind: FindingKind, window: Window, text: string, rows?: number): Finding {
  const { zone, from, to } = window
  const sentence = `Zone ${zone}, ${timeText(from)} to ${timeText(to)}: ${text}.`
  return { kind, zone, from, to, ...(rows !== undefined && { rows }), sentence }
}

/** Creates the finding of a segment. */
export function segmentFinding(kind: FindingKind, segment: Segment, text: string, rows?: number): Finding {
  return { ...findingOf(kind, segment, `r${segment.revision} ${text}`, rows), revision: segment.revision }
}

/** `1 row`, `2 rows`. */
export const rowsText = (rows: number) => `${rows} ${rows === 1 ? 'row' : 'rows'}`

const timeText = (at: number) => new Date(at).toISOString()
