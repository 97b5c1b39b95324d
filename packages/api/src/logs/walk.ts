import { CallError } from '../errors/call-error.ts'
import { mayPass } from '../retry.ts'
import type { Ask, Walk } from './ask.ts'
import { readMillisecond } from './millisecond.ts'
import type { Page } from './page.ts'
import { countIn, type RowBatch, sliceRows } from './row-batch.ts'

/** A range of a walk. */
export interface Part {
  readonly from: number
  readonly to: number
  /** Times of rows from `from` on that an earlier page has shown; a later one must show them too. */
  readonly seen: Float64Array
}

/** How far a page reached into a part. */
export interface Reached {
  readonly batch: RowBatch
  /** What must be seen from the end of the batch on. */
  readonly seen: Float64Array
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
 * Reads the start of a part, as far as a page reaches: by time, never by offset, which shifts when rows arrive late (§6 of
 * the design). The last millisecond of a page that is not the last is held back; it is asked for again with what is left of
 * the part, from 1 ms before it. So no ids are kept, and none are needed.
 *
 * With `country` or `search`, which the platform applies after the page is fetched, a page may be short or empty while more
 * follows, and its last row says nothing: less is asked for until an answer holds all of it. Less is asked for, too, where
 * the platform fails, since wide ranges make it time out.
 *
 * @returns whole milliseconds, in order, each row once
 * @throws what `ask` rejects with
 */
export async function readStart(ask: Ask, walk: Walk, part: Part, pace: Pace): Promise<Reached> {
  const isFiltered = Boolean(walk.filters.country || walk.filters.search)
  const { from } = part
  let { seen } = part
  for (;;) {
    const to = Math.min(part.to, from + pace.span)
    const width = to - from
    const check = (page: Page) => missing(page, seen, from, to, isFiltered)
    let page: Page
    try {
      page = await ask(from, to, { check, isNarrowable: width > smallestSpan, doubtEmpty: pace.hasMore })
    } catch (cause) {
      if (width <= smallestSpan || !isOverload(cause)) throw cause
      pace.span = Math.ceil(width / 2)
      pace.growth = 1.1
      continue
    }
    const { times, hasMore, limit } = page
    pace.hasMore ||= hasMore
    if (isFiltered && hasMore && width > 1) {
      seen = times
      pace.span = Math.ceil(width / 2)
      continue
    }
    const last = hasMore && !isFiltered ? (times.at(-1) ?? to) : to
    const isTooFull = hasMore && (isFiltered || last <= from)
    const batch = isTooFull
      ? await readMillisecond(ask, walk, from, countIn(seen, from, from + 1))
      : sliceRows(page, from, Math.min(last, to))
    const growth = isFiltered ? pace.growth : Math.min(pace.growth, aimedFill / (times.length / limit))
    if (hasMore || width * 2 > pace.span) pace.span = Math.max(1, Math.ceil((batch.end - from) * growth))
    return { batch, seen: last < to && !isTooFull ? times.slice(times.indexOf(last)) : none }
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
