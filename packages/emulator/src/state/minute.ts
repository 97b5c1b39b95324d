import type { LogRow } from './log-row.ts'
import { type PackedRows, packLimit, packRows } from './packed-rows.ts'

/** Rows of one zone within one minute, in the order in which they came: the packed ones, then the latest. */
export interface Minute {
  readonly packs: PackedRows[]
  readonly latest: LogRow[]
}

/** With fewer rows than this, packing costs more bytes than it saves. */
const worthPacking = 64

/** Adds a row at any time within the minute. */
export function addTo(minute: Minute, row: LogRow): void {
  minute.latest.push(row)
  if (minute.latest.length === packLimit) pack(minute)
}

/** Packs what came lately where it is worth it, for when rows of another minute come in. */
export function settle(minute: Minute): void {
  if (minute.latest.length >= worthPacking) pack(minute)
}

/** All rows, in the order in which they came. */
export function arrived({ packs, latest }: Minute): LogRow[] {
  return packs.flatMap((rows) => rows.unpack()).concat(latest)
}

export function countIn({ packs, latest }: Minute): number {
  return packs.reduce((count, { length }) => count + length, latest.length)
}

function pack({ packs, latest }: Minute): void {
  packs.push(packRows(latest))
  latest.length = 0
}
