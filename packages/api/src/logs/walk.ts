import { CallError } from '../errors/call-error.ts'
import { mayPass } from '../retry.ts'
import type { Ask, Walk } from './ask.ts'
import { readMillisecond } from './millisecond.ts'
import type { Page } from './page.ts'
import { countIn, type RowBatch, sliceRows } from './row-batch.ts'

/** A part of a walk: what of it is still to be read. */
export interface Part {
  from: number
  to: number
  /** Times of rows from `from` on that an earlier page has shown; a later one must show them too. */
  seen: Float64Array
}

/** Nothing that a later page must show. */
export const none: Float64Array = new Float64Array()

/** How much is asked for at once; shared by all parts of a walk. */
export interface Pace {
  /** Milliseconds. */
  span: number
  /** By how much the span grows while pages are not full. */
  growth: number
  /** A page has announced more than it held: an answer without rows is then doubted. */
  hasMore: boolean
}

/** A request for less than this is not made smaller when it fails: its size is not to blame. */
const smallestSpan = 1000
/** How full a page is meant to be; a part that needs a second one costs a request more. */
const aimedFill = 0.75

/**
 * Walks a part by time (design: never by offset, which shifts when rows arrive late). The last millisecond of a page that
 * is not the last is held back and asked for again, from 1 ms before it; so no ids are kept, and none are needed.
 *
 * With `country` or `search`, which the platform applies after the page is fetched, a page may be short or empty while more
 * follows, and its last row says nothing: less is asked for until an answer holds all of it. Less is asked for, too, where
 * the platform fails, since wide ranges make it time out.
 *
 * @returns whole milliseconds, in order, each row once
 * @throws what `ask` rejects with
 */
export async function* walkPart(ask: Ask, walk: Walk, part: Part, pace: Pace): AsyncGenerator<RowBatch, void, void> {
  const isFiltered = Boolean(walk.filters.country || walk.filters.search)
  while (part.from < part.to) {
    const { from, seen } = part
    const to = Math.min(part.to, from + pace.span)
    const width = to - from
    const narrow = () => {
      pace.span = Math.ceil(width / 2)
    }
    const check = (page: Page) => missing(page, seen, from, to, isFiltered)
    let page: Page
    try {
      page = await ask(from, to, { check, isNarrowable: width > smallestSpan, doubtEmpty: pace.hasMore })
    } catch (cause) {
      if (width <= smallestSpan || !isOverload(cause)) throw cause
      narrow()
      pace.growth = 1.1
      continue
    }
    pace.hasMore ||= page.hasMore
    const last = page.times.at(-1)
    let batch: RowBatch
    if (!page.hasMore || (!isFiltered && (last === undefined || last >= to))) {
      batch = sliceRows(page, from, to)
      part.seen = none
    } else if (!isFiltered && last !== undefined && last > from) {
      batch = sliceRows(page, from, last)
      part.seen = page.times.slice(page.times.indexOf(last))
    } else if (isFiltered && width > 1) {
      part.seen = page.times
      narrow()
      continue
    } else {
      batch = await readMillisecond(ask, walk, from, countIn(seen, from, from + 1))
      part.seen = none
    }
    const covered = batch.end - from
    const growth = isFiltered ? pace.growth : Math.min(pace.growth, aimedFill / (page.times.length / page.limit))
    if (page.hasMore || width * 2 > pace.span) pace.span = Math.max(1, Math.ceil(covered * growth))
    part.from = batch.end
    yield batch
  }
}

/** What a page lacks that a page before it has shown. */
function missing(page: Page, seen: Part['seen'], from: number, to: number, isFiltered: boolean): string | undefined {
  const last = page.times.at(-1)
  if (page.hasMore && last === undefined && !isFiltered) return 'a page says that more follows, and holds no row'
  // A page that does not reach beyond the first millisecond cannot show the whole of it.
  if (page.hasMore && (isFiltered || (last ?? 0) <= from)) return undefined
  const end = isFiltered ? to : from + 1
  return countIn(page.times, from, end) < countIn(seen, from, end)
    ? 'rows that were there before are missing'
    : undefined
}

function isOverload(cause: unknown): boolean {
  return cause instanceof CallError && cause.status !== 429 && mayPass(cause, { isRead: true })
}
