import type { Ask, Walk } from './ask.ts'
import { readMillisecond } from './millisecond.ts'
import type { Page } from './page.ts'
import { type Batch, countIn, cut } from './row.ts'

/**
 * Walks a range by time (design: never by offset, which shifts when rows arrive late). The last millisecond of a page
 * that is not the last is held back and asked for again, from 1 ms before it; so no ids are kept, and none are needed.
 *
 * @returns whole milliseconds, in order, each row once
 * @throws what `ask` rejects with
 */
export async function* walkByTime(ask: Ask, walk: Walk): AsyncGenerator<Batch, void, void> {
  let held = 0
  let more = false
  for (let cursor = walk.from; cursor < walk.to; ) {
    const page: Page = await ask(cursor, walk.to, {
      doubtEmpty: more,
      check: (candidate) => missing(candidate, cursor, held),
    })
    const last = page.times.at(-1)
    if (!page.hasMore || last === undefined || last >= walk.to) {
      yield cut(page, cursor, walk.to)
      return
    }
    more = true
    if (last > cursor) {
      yield cut(page, cursor, last)
      held = countIn(page, last, last + 1)
      cursor = last
    } else {
      yield await readMillisecond(ask, walk, cursor, held)
      held = 0
      cursor += 1
    }
  }
}

/** What a page lacks that the page before it promised. */
function missing(page: Page, cursor: number, held: number): string | undefined {
  const last = page.times.at(-1)
  if (page.hasMore && last === undefined) return 'a page says that more follows, and holds no row'
  // A page that does not reach beyond the cursor cannot show the whole of that millisecond.
  if (page.hasMore && last !== undefined && last <= cursor) return undefined
  return countIn(page, cursor, cursor + 1) < held ? 'rows that were there before are missing' : undefined
}
