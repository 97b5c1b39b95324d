import { linesOf } from '../formats/format.ts'
import { fieldsKey } from '../rows/canonical.ts'

/** A part of the difference: one millisecond of the read, and the held rows since the previous part. */
export interface DifferencePart {
  /** New lines, unchanged. */
  readonly lines: readonly string[]
  /** Number of held lines that the read lacks. */
  readonly missing: number
}

/**
 * Compares a read with the held rows, as multisets of whole rows. Ids cannot identify rows, because they may be null or shared. Rows
 * are matched by their text. The remaining rows are matched by their fields, because the order of the fields in a text follows the
 * contract, which may have changed.
 *
 * Both sides are sorted by time, so only one millisecond of each is in memory.
 *
 * @param reading groups in order of time
 * @param held every segment of the window, its groups in order of time
 */
export async function* difference(
  reading: AsyncIterable<LineGroup>,
  held: readonly AsyncIterator<LineGroup, void, void>[],
): AsyncGenerator<DifferencePart, void, void> {
  try {
    const cursors = await Promise.all(held.map(async (groups) => ({ groups, next: await groups.next() })))
    for await (const { time, lines } of reading) {
      const like: string[] = []
      let missing = 0
      for (const cursor of cursors) {
        while (!cursor.next.done && cursor.next.value.time <= time) {
          const group = cursor.next.value
          if (group.time === time) like.push(...group.lines)
          else missing += group.lines.length
          cursor.next = await cursor.groups.next()
        }
      }
      const equal = withoutLike(lines, like, (line) => line)
      const whole = withoutLike(equal.rest, equal.unmatched, fieldsKey)
      yield { lines: whole.rest, missing: missing + whole.unmatched.length }
    }
    let missing = 0
    for (const cursor of cursors)
      for (; !cursor.next.done; cursor.next = await cursor.groups.next()) missing += cursor.next.value.lines.length
    if (missing > 0) yield { lines: [], missing }
  } finally {
    for (const groups of held) await groups.return?.()
  }
}

/** Removes the lines that have an equal key in `like`, one for one. Also returns the lines of `like` that stay unmatched. */
function withoutLike(lines: readonly string[], like: readonly string[], keyOf: (line: string) => string) {
  if (lines.length === 0 || like.length === 0) return { rest: lines, unmatched: like }
  const byKey = Map.groupBy(like, keyOf)
  const rest = lines.filter((line) => byKey.get(keyOf(line))?.pop() === undefined)
  return { rest, unmatched: [...byKey.values()].flat() }
}

/** The lines of one millisecond. */
export interface LineGroup {
  /** The timestamp of the lines, `YYYY-MM-DDTHH:MM:SS.mmmZ`. These texts sort like the times. */
  readonly time: string
  /** Without line feeds. */
  readonly lines: string[]
}

/** Start of a canonical line, up to its timestamp. */
const head = '{"timestamp":"'
const timeLength = '2026-06-17T14:30:00.000Z'.length

/**
 * Groups the lines of a segment or a read by millisecond. Only one group is in memory at a time.
 *
 * @param pieces whole lines, ascending by timestamp
 */
export async function* groupLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<LineGroup, void, void> {
  let group: LineGroup | undefined
  for await (const piece of pieces) {
    for (const line of linesOf(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString())) {
      const time = line.slice(head.length, head.length + timeLength)
      if (group?.time !== time) {
        if (group) yield group
        group = { time, lines: [] }
      }
      group.lines.push(line)
    }
  }
  if (group) yield group
}
