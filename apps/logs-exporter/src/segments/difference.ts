import type { Source } from '../rows/encoder.ts'
import { rowKey, v1Key } from '../rows/row-key.ts'
import type { Group } from './groups.ts'

/** Rows that a window has already: one segment of it. */
export interface Held {
  readonly source: Source
  readonly groups: AsyncIterator<Group, void, void>
}

/** What a reading of version 2 adds on one millisecond to what is held, and what it lacks. */
export interface Added {
  /** Lines that are not held yet, as they came. */
  readonly lines: readonly string[]
  /** Lines of version 2 that are held and that the reading lacks. */
  readonly missing: number
}

/**
 * Compares a reading of version 2 with what is held, as multisets of whole rows (§7 of the design): never by id, which may
 * be null or shared. Rows of version 1 are compared on its columns, after all others have found their like; that
 * some of them find none says nothing, since version 1 may hold rows that version 2 does not show.
 *
 * Both sides ascend, so only a millisecond of each is held in memory.
 *
 * @param reading groups in order of time
 * @param held every segment of the window, its groups in order of time
 */
export async function* difference(
  reading: AsyncIterable<Group>,
  held: readonly Held[],
): AsyncGenerator<Added, void, void> {
  try {
    yield* compare(reading, held)
  } finally {
    for (const { groups } of held) await groups.return?.()
  }
}

async function* compare(reading: AsyncIterable<Group>, held: readonly Held[]): AsyncGenerator<Added, void, void> {
  const cursors = await Promise.all(
    held.map(async ({ source, groups }) => ({ source, groups, next: await groups.next() })),
  )
  for await (const { time, lines } of reading) {
    const like: Record<Source, string[]> = { v2: [], v1: [] }
    let missing = 0
    for (const cursor of cursors) {
      while (!cursor.next.done && cursor.next.value.time <= time) {
        const group = cursor.next.value
        if (group.time === time) like[cursor.source].push(...group.lines)
        else if (cursor.source === 'v2') missing += group.lines.length
        cursor.next = await cursor.groups.next()
      }
    }
    const whole = withoutLike(lines, like.v2, rowKey)
    const { rest } = withoutLike(whole.rest, like.v1, v1Key)
    yield { lines: rest, missing: missing + whole.unmatched }
  }
  let missing = 0
  for (const cursor of cursors) {
    for (; !cursor.next.done; cursor.next = await cursor.groups.next())
      if (cursor.source === 'v2') missing += cursor.next.value.lines.length
  }
  if (missing > 0) yield { lines: [], missing }
}

/** The lines for which no line of `like` is left that has the same key, and how many of those found none in turn. */
function withoutLike(lines: readonly string[], like: readonly string[], keyOf: (line: string) => string) {
  if (like.length === 0) return { rest: lines, unmatched: 0 }
  const counts = new Map<string, number>()
  for (const line of like) {
    const key = keyOf(line)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  let matched = 0
  const rest = lines.filter((line) => {
    const key = keyOf(line)
    const count = counts.get(key) ?? 0
    if (count === 0) return true
    counts.set(key, count - 1)
    matched++
    return false
  })
  return { rest, unmatched: like.length - matched }
}
