import { contracts } from '@cdn/api/contract'
import { linesOf } from '../formats/format.ts'
import { fieldsKey } from '../rows/canonical.ts'
import { parseRowFields } from '../rows/columns.ts'
import type { BatchSource } from './segment.ts'

/** The rows of one segment of a window. */
export interface Held {
  readonly source: BatchSource
  readonly groups: AsyncIterator<LineGroup, void, void>
}

/** The difference between a version 2 read and the held rows, within one millisecond. */
export interface Added {
  /** New lines, unchanged. */
  readonly lines: readonly string[]
  /** Number of held version 2 lines that the read lacks. */
  readonly missing: number
}

/**
 * Compares a read of version 2 with the held rows, as multisets of whole rows. Ids cannot identify rows, because they may be null
 * or shared. Version 2 rows are matched first: by their text, and those that are left by their fields, because the contract decides
 * where a field stands in the text, and it may have changed. Rows of version 1 are matched afterwards, by the columns of version 1.
 * It is normal that some of them stay unmatched, since version 1 may hold rows that version 2 does not show.
 *
 * Both sides are sorted by time, so only one millisecond of each is in memory.
 *
 * @param reading groups in order of time
 * @param held every segment of the window, its groups in order of time
 */
export async function* difference(
  reading: AsyncIterable<LineGroup>,
  held: readonly Held[],
): AsyncGenerator<Added, void, void> {
  try {
    const cursors = await Promise.all(
      held.map(async ({ source, groups }) => ({ source, groups, next: await groups.next() })),
    )
    for await (const { time, lines } of reading) {
      const like: Record<BatchSource, string[]> = { v2: [], v1: [] }
      let missing = 0
      for (const cursor of cursors) {
        while (!cursor.next.done && cursor.next.value.time <= time) {
          const group = cursor.next.value
          if (group.time === time) like[cursor.source].push(...group.lines)
          else if (cursor.source === 'v2') missing += group.lines.length
          cursor.next = await cursor.groups.next()
        }
      }
      const equal = withoutLike(lines, like.v2, rowKey)
      const whole = withoutLike(equal.rest, equal.unmatched, fieldsKey)
      const { rest } = withoutLike(whole.rest, like.v1, v1Key)
      yield { lines: rest, missing: missing + whole.unmatched.length }
    }
    let missing = 0
    for (const cursor of cursors)
      for (; !cursor.next.done; cursor.next = await cursor.groups.next())
        if (cursor.source === 'v2') missing += cursor.next.value.lines.length
    if (missing > 0) yield { lines: [], missing }
  } finally {
    for (const { groups } of held) await groups.return?.()
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

const ending = /,"source":"v[12]"\}\n?$/
const lineFields = contracts.logging.operations
  .flatMap(({ responses }) => responses.flatMap(({ line }) => line ?? []))
  .map(({ name }) => name)

/** The identity of a line among lines of the same source: the canonical line without its source and its line feed. */
export function rowKey(line: string): string {
  return line.replace(ending, '')
}

/**
 * The identity of a line by the columns of version 1. Characters that version 1 strips from texts are ignored. So both versions of
 * one request's row have the same key.
 */
export function v1Key(line: string): string {
  const row = parseRowFields(line)
  return lineFields.map((name) => keyOf(name, row[name])).join('|')
}

/** `-` means absent. In the first field `-` is also a cache status, and both meanings give the same key. */
function keyOf(name: string, value: unknown): string {
  if (name === 'timestamp') return String(Date.parse(String(value)))
  return String(value ?? '').replaceAll(/[|\r\n]/g, '') || '-'
}
