import type { FileHandle } from 'node:fs/promises'
import { assertDefined } from '@cdn/kit/assert-defined'

/** The point from which a partial file can be resumed. */
export interface ResumePoint {
  readonly bytes: number
  readonly lines: number
  /** Lines from this time on are not kept, but read again. In milliseconds since 1970. */
  readonly time: number
  /** The lines before `time` that the platform must return again: all lines of their milliseconds. */
  readonly overlap: readonly string[]
}

/** The lines of one millisecond, and the place in the file at which they start. */
interface Group extends Omit<ResumePoint, 'overlap'> {
  readonly texts: string[]
}

const minOverlap = 100
const pieceBytes = 65_536

/**
 * Finds where a partial file can be resumed. Only whole milliseconds are kept: the last one may be incomplete, and rows with equal times
 * may have a different order in each response. Lines from `closedUntil` on are dropped, too, because late rows may have arrived among
 * them.
 *
 * @param closedUntil late rows may still arrive at or after this time, in milliseconds since 1970
 * @returns undefined if the file must be read from the start
 */
export async function findResumePoint(handle: FileHandle, closedUntil: number): Promise<ResumePoint | undefined> {
  let groups: Group[] = []
  const place = { bytes: 0, lines: 0 }
  for await (const line of wholeLines(handle)) {
    const last = groups.at(-1)
    const time = lineTime(line)
    if (last && time < last.time) return undefined
    // An unparseable line belongs to the group of the line before it.
    if (last && !(time > last.time)) last.texts.push(line)
    else if (!Number.isNaN(time)) groups = [...trim(groups), { ...place, time, texts: [line] }]
    else return undefined
    if (time >= closedUntil) break
    place.bytes += Buffer.byteLength(line) + 1
    place.lines++
  }
  const { texts: _, ...end } = groups.pop() ?? { texts: [], time: 0, ...place }
  const overlap = groups.flatMap(({ texts }) => texts)
  return overlap.length === 0 ? undefined : { ...end, overlap }
}

/** Drops the oldest group if enough lines remain without it. The newest group does not count, since it may be incomplete. */
function trim(groups: Group[]): Group[] {
  const count = groups.slice(1, -1).reduce((sum, { texts }) => sum + texts.length, 0)
  return count >= minOverlap ? groups.slice(1) : groups
}

/** The complete lines of a file. A last line without a line end was not written completely, so it is omitted. */
async function* wholeLines(handle: FileHandle): AsyncGenerator<string> {
  // Bytes are counted from the decoded lines, so the decoder may drop nothing.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const buffer = Buffer.alloc(pieceBytes)
  let rest = ''
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, pieceBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    const parts = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n')
    rest = assertDefined(parts.pop())
    yield* parts
  }
}

/**
 * Whether the platform returned the same lines again. Lines of one millisecond may have any order.
 *
 * @param overlap of the resume point
 * @param shown the returned lines before the time of the resume point
 */
export function hasSameLines(overlap: readonly string[], shown: readonly string[]): boolean {
  const [known, again] = [[...overlap].sort(), [...shown].sort()]
  return known.length === again.length && known.every((line, n) => line === again[n])
}

/** @returns the third field of a line of version 1 (supplement): its time in ms since 1970; NaN if it is invalid */
export function lineTime(line: string): number {
  const [, , time = ''] = line.split('|', 3)
  return /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN
}
