/** A range `[from, to)` in ms since 1970. */
export interface ExportRange {
  readonly from: number
  readonly to: number
}

/** A time (ms since 1970) in UTC: `2026-06-17T14:30:00.000Z`. */
export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/** A range in a message: its start and end in UTC. */
export function rangeText({ from, to }: ExportRange): string {
  return `${isoTime(from)} to ${isoTime(to)}`
}

/** The unit of the export: a range of a zone that is published and recorded as a whole. */
export interface Window extends ExportRange {
  readonly zone: string
}

/** The window of a value that has more fields. */
export function windowOf({ zone, from, to }: Window): Window {
  return { zone, from, to }
}

/** Whether two ranges have a moment in common. */
export function overlaps(a: ExportRange, b: ExportRange): boolean {
  return a.from < b.to && a.to > b.from
}

/** The immutable output of a window. Revision 0 is the first. Each later revision holds only rows that no earlier revision has. */
export interface Segment extends Window {
  readonly revision: number
  readonly rows: number
  /** Stored size, in bytes. */
  readonly bytes: number
  /** SHA-256 of the NDJSON lines before compression, in hex. It does not depend on the format. */
  readonly sha256: string
}

/** The parts of a segment that its name contains. */
export type SegmentId = Window & Pick<Segment, 'revision'>

const pattern =
  /(?:^|\/)zone=(\d{1,19})\/date=(\d{4}-\d\d-\d\d)\/hour=(\d\d)\/(\d{8}T\d{6}Z)-(\d{8}T\d{6}Z)\.r(\d{1,9})(\.[a-z.]+)$/

/**
 * The path of a segment below the root of a sink that holds files, partitioned by the start of its window (UTC):
 * `zone=ID/date=YYYY-MM-DD/hour=HH/20260617T143000Z-20260617T143500Z.r0.ndjson.zst`.
 *
 * @param extension including its first dot
 */
export function segmentName({ zone, from, to, revision }: SegmentId, extension: string): string {
  return `${hourName(zone, from)}/${compact(from)}-${compact(to)}.r${revision}${extension}`
}

/** The folder of an hour: `zone=ID/date=YYYY-MM-DD/hour=HH`. */
export function hourName(zone: string, at: number): string {
  const iso = isoTime(at)
  return `zone=${zone}/date=${iso.slice(0, 10)}/hour=${iso.slice(11, 13)}`
}

/**
 * Parses the path of a segment.
 *
 * @param path separated by `/`, with any prefix
 * @returns undefined if the path is not the path of a segment. `extension` includes its first dot and may be unknown
 */
export function parseSegmentName(path: string): (SegmentId & { readonly extension: string }) | undefined {
  const [, zone = '', date = '', hour = '', start = '', end = '', revision = '', extension = ''] =
    pattern.exec(path) ?? []
  const [from, to] = [parseCompact(start), parseCompact(end)]
  if (!(from < to)) return undefined
  // Reject a file in the folder of another hour: a listing of its own hour would miss it.
  if (hourName(zone, from) !== `zone=${zone}/date=${date}/hour=${hour}`) return undefined
  return { zone, from, to, revision: Number(revision), extension }
}

/** Orders segments by window and revision. */
export function bySegment(a: SegmentId, b: SegmentId): number {
  return a.from - b.from || a.to - b.to || a.revision - b.revision
}

/** Formats a time without milliseconds, since windows begin and end at whole seconds. */
function compact(at: number): string {
  return isoTime(at).replaceAll(/[-:]|\.\d+/g, '')
}

function parseCompact(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}
