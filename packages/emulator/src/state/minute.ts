import type { RowSelection, StoredLogRow } from './log-row.ts'
import { compressRows, type PackedRows, packLimit } from './packed-rows.ts'

/** Rows of one zone within one minute, in the order in which they were appended: first `packs`, then `latest`. */
export interface Minute {
  readonly packs: PackedRows[]
  readonly latest: StoredLogRow[]
  /** Number of rows that went to the origin shield. */
  shieldRows: number
  /** Number of rows with a status below 200. */
  informationalRows: number
  /** Time from which all rows are visible, in milliseconds. */
  visibleFrom: number
}

/** Creates an empty minute. */
export function createMinute(): Minute {
  return { packs: [], latest: [], shieldRows: 0, informationalRows: 0, visibleFrom: Number.NEGATIVE_INFINITY }
}

/** Minimum number of rows to pack. For fewer rows, packing costs more bytes than it saves. */
const minPackedRows = 64

/** Adds a row. Its time can be anywhere within the minute. */
export function addTo(minute: Minute, row: StoredLogRow): void {
  minute.latest.push(row)
  if (row.originShield) minute.shieldRows++
  if (row.statusCode < 200) minute.informationalRows++
  minute.visibleFrom = Math.max(minute.visibleFrom, row.visibleFrom ?? 0)
  if (minute.latest.length === packLimit) pack(minute)
}

/** Packs the latest rows if there are enough of them. The store calls this when rows of another minute arrive. */
export function packIfLarge(minute: Minute): void {
  if (minute.latest.length >= minPackedRows) pack(minute)
}

/** Returns all rows, in the order in which they were appended. */
export function rowsIn({ packs, latest }: Minute): StoredLogRow[] {
  return packs.flatMap((rows) => rows.unpack()).concat(latest)
}

export function rowCountIn({ packs, latest }: Minute): number {
  return packs.reduce((count, { length }) => count + length, latest.length)
}

/** Returns the number of rows that a reader sees. Returns undefined if the rows would have to be read to count them. */
export function countSelected(
  minute: Minute,
  { withShield, withInformational, now }: RowSelection,
): number | undefined {
  const isPlain = minute.visibleFrom <= now && (withInformational || minute.informationalRows === 0)
  return isPlain ? rowCountIn(minute) - (withShield ? 0 : minute.shieldRows) : undefined
}

function pack({ packs, latest }: Minute): void {
  packs.push(compressRows(latest))
  latest.length = 0
}
