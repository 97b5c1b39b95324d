import { hash } from 'node:crypto'
import { type SegmentId, segmentName } from '../segments/segment.ts'

/** A part of a segment that is sent in one request. */
export interface Piece {
  /** The segment's name. All its pieces share it. */
  readonly segment: string
  /** Where the piece begins, in bytes of the segment's lines. */
  readonly offset: number
  /** Whole lines of NDJSON. */
  readonly bytes: Buffer
  /** Whether the segment ends with this piece. The whole segment has then been read and checked. */
  readonly isLast: boolean
}

/** A piece ends with the first line that reaches this length, in bytes. Receivers commonly accept 4 to 20 MB. */
const pieceBytes = 1024 * 1024
const lineFeed = 10

/**
 * Cuts a segment into pieces. Where a piece ends depends only on where it begins and on the lines. So a delivery that starts again
 * at a cursor sends the same pieces again.
 *
 * @param lines all lines of the segment, in parts of whole lines
 * @param sent bytes of the lines to leave out
 */
export async function* cutPieces(
  id: SegmentId,
  lines: AsyncIterable<Uint8Array>,
  sent: number,
): AsyncGenerator<Piece, void, void> {
  const segment = segmentName(id, '')
  let offset = sent
  let skip = sent
  let waiting: Uint8Array[] = []
  let size = 0
  const take = (bytes: Buffer, end: number, isLast: boolean): Piece => {
    const piece = { segment, offset, bytes: bytes.subarray(0, end), isLast }
    offset += end
    waiting = [bytes.subarray(end)]
    size = bytes.length - end
    return piece
  }
  for await (const part of lines) {
    const left = part.subarray(Math.min(skip, part.length))
    skip -= part.length - left.length
    waiting.push(left)
    size += left.length
    // A piece waits until more lines follow, so that the last one is known as such.
    while (size > pieceBytes) {
      const bytes = Buffer.concat(waiting)
      const end = bytes.indexOf(lineFeed, pieceBytes - 1) + 1
      if (end === bytes.length) break
      yield take(bytes, end, false)
    }
  }
  if (size > 0) yield take(Buffer.concat(waiting), size, true)
}

/**
 * The key of a piece. A piece that is sent again has the same key. It names the place and the content, so pieces of different
 * content never share a key, not even if a segment was deleted and exported again.
 */
export function keyOf({ segment, offset, bytes }: Piece): string {
  return `${segment}/${offset}-${digest(bytes)}`
}

/** A line of a piece, and its key, which does not depend on the length of pieces. */
export interface KeyedLine {
  readonly key: string
  /** Without its line feed. */
  readonly line: string
}

/** The lines of a piece with their keys. */
export function* keyedLines({ segment, offset, bytes }: Piece): Generator<KeyedLine, void, void> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start)
    const line = bytes.subarray(start, end)
    yield { key: `${segment}/${offset + start}-${digest(line)}`, line: line.toString() }
    start = end + 1
  }
}

/** 64 bits of a SHA-256, in hex. */
function digest(bytes: Uint8Array): string {
  return hash('sha256', bytes).slice(0, 16)
}
