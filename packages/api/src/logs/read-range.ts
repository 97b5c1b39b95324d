import { ApiError } from '../errors/api-error.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import {
  firstAtOrAfter,
  type LogPage,
  type PageRows,
  type ParsedRow,
  type RowList,
  showsOrder,
  UntrustedPage,
} from './page.ts'
import { mayRepeat } from './reader.ts'
import { createRequestPage, isTimeout, isUnreadable, type LogRange, type RequestPage } from './request-page.ts'
import { readSingleRows } from './single-rows.ts'

/**
 * Number of parts of a range to read concurrently. Sequential requests would be too slow to use the rate limit. If a response takes
 * 0.4 to 0.9 s, two parts use 92 % of the limit, and three parts use 94 %, the possible maximum (measured in tests with virtual
 * time).
 */
export const parallel = 3

/** Rows of a range, ascending by time. */
export interface RowBatch<Rows = readonly ParsedRow[]> extends PageRows<Rows> {
  /** Time in ms. Every row before this time is in this batch or an earlier one, unless `unread` says otherwise. */
  readonly end: number
  /** Why rows are missing, as a sentence. The batch then covers one millisecond, and has the rows of it that can be read. */
  readonly unread?: string | undefined
  /** Number of byte sequences in the page of this batch that are not UTF-8. Each became U+FFFD. */
  readonly replaced: number
}

interface OpenPart<Rows> {
  readonly to: number
  readonly page: Promise<PartStart<Rows>>
}

interface RangePart {
  readonly from: number
  readonly to: number
  /** Times at or after `from` that an earlier page has shown. A later page must show them too. */
  readonly seen: readonly number[]
  /** Whether the consumer waits for this part. */
  readonly isNext: () => boolean
}

interface PartStart<Rows> {
  readonly batch: { -readonly [Key in keyof RowBatch<Rows>]: RowBatch<Rows>[Key] }
  /** Times at or after the end of the batch that a later page must show. */
  readonly seen: readonly number[]
  /** Frees the slot of the page. */
  release(): void
}

/** The length of requested ranges. All parts of a range read share this object. */
interface Pace {
  /** Length of the next requested range, in milliseconds. */
  span: number
  /** Maximum factor by which the span grows after a page. */
  growth: number
  /** Whether a page has announced that more rows follow. After that, an empty response must be confirmed. */
  hasMore: boolean
  /** Whether a page could be read. Until then, the platform itself may be down. */
  isRead: boolean
}

/**
 * Reads a range in parts, several concurrently, and hands them out in order. Earlier pages show how long a range fits into a page;
 * each part gets this length. A range of one page costs one request. Each part is read at most one page ahead of the consumer. So
 * memory is bounded, and a slow consumer slows down the requests.
 *
 * @returns batches of whole milliseconds, in order, each readable row once; leaving the loop early ends the pending requests
 * @throws the errors of `requestPage`
 */
export async function* readRangeParts<Rows extends RowList<Rows>>(
  range: LogRange<Rows>,
): AsyncGenerator<RowBatch<Rows>, void, void> {
  const controller = new AbortController()
  const signal = range.signal ? AbortSignal.any([range.signal, controller.signal]) : controller.signal
  const source = { ...range, signal }
  const requestPage = createRequestPage(source)
  const pace: Pace = { span: Number.POSITIVE_INFINITY, growth: 2, hasMore: false, isRead: false }
  const parts: OpenPart<Rows>[] = []
  let { from } = range
  let seen: readonly number[] = []
  const open = (start: Omit<RangePart, 'isNext'>): OpenPart<Rows> => {
    const isNext = () => parts[0] === part
    const part: OpenPart<Rows> = { to: start.to, page: readStart(requestPage, source, { ...start, isNext }, pace) }
    part.page.catch(() => {}) // awaited later, in order
    return part
  }
  const drop = ({ page }: OpenPart<Rows>) =>
    page.then(
      ({ release }) => release(),
      () => {},
    )
  const fill = () => {
    while (from < range.to && (parts.length === 0 || (parts.length < parallel && range.slots.hasRoom()))) {
      const to = Math.min(range.to, from + pace.span)
      parts.push(open({ from, to, seen }))
      from = to
      seen = []
    }
  }
  try {
    for (fill(); parts[0]; fill()) {
      const [{ to, page }] = parts
      const { batch, seen: shown, release } = await page
      if (to - batch.end > pace.span) {
        // The part has more pages than expected. The rest of it and the parts after it are divided again into shorter parts.
        parts.splice(1).forEach(drop)
        from = batch.end
        seen = shown
      } else if (to > batch.end) parts.splice(1, 0, open({ from: batch.end, to, seen: shown }))
      fill()
      try {
        yield batch
      } finally {
        parts.shift()
        batch.rows.free?.()
        batch.rows = batch.rows.slice(0, 0)
        release()
      }
    }
  } finally {
    controller.abort()
    parts.forEach(drop)
  }
}

/** Length of the first range, in ms: so short that a platform seldom fails to answer. */
const firstSpan = 1000
/** Desired fraction of a page that has rows. Full pages are not the goal, because a part with a second page costs a request. */
const targetFill = 0.75

/**
 * Reads the start of a part, up to the end of a page. Pages are selected by time, never by offset, because offsets shift when rows
 * arrive late (docs/decisions/reading-by-time.md). If more pages follow, the last millisecond of a page is held back. The next
 * request covers it again, together with the rest of the part. So the reader needs no ids.
 *
 * The platform applies `country` and `search` after it fetches a page. So a page may be short or empty although more rows follow,
 * and the last row does not show how far the page reaches. The reader then requests shorter ranges until a response covers a whole
 * range.
 *
 * It also requests shorter ranges if a response cannot be read: long ranges can time out, and one row can spoil the response to each
 * range that has it. If a single millisecond cannot be read, its rows are requested one by one.
 *
 * A range of one millisecond is requested with the largest page. If it has more rows, they cannot be read: rows of equal time have
 * no fixed order, so further pages by offset could repeat some rows and omit others.
 *
 * @returns whole milliseconds, in order, each readable row once
 * @throws the errors of `requestPage`, for a single millisecond if a shorter range could help, and IncompleteLogsError with a
 *   millisecond that has more rows than a page
 */
async function readStart<Rows extends RowList<Rows>>(
  requestPage: RequestPage<Rows>,
  range: LogRange<Rows>,
  part: RangePart,
  pace: Pace,
): Promise<PartStart<Rows>> {
  const isFiltered = Boolean(range.filters.country || range.filters.search)
  const { from } = part
  let { seen } = part
  for (;;) {
    const to = Math.min(part.to, from + pace.span)
    const width = to - from
    // With filters, only the last page shows all rows of its range. Without filters, a page shows all rows of its first
    // millisecond, unless it ends there.
    const end = isFiltered ? to : from + 1
    const check = (page: LogPage<unknown>) =>
      isFiltered && page.hasMore ? undefined : faultOfPage(page, seen, from, end)
    const options = { check, isNarrowable: width > 1, doubtEmpty: pace.hasMore, isNext: part.isNext }
    const page = await requestPage(from, to, options).catch(async (cause) => {
      const error =
        cause instanceof UntrustedPage ? new IncompleteLogsError(range.pullZoneId, from, to, cause.message) : cause
      if (!isUnreadable(cause) || !mayRepeat(range)) throw error
      if (width === 1) {
        const isSpoilt = !isFiltered && !isRefused(cause)
        const page = isSpoilt && (await readSingleRows(range, from, countIn(seen, from, to), part.isNext))
        // These rows take a slot as a page does, because the release of a slot starts the next page.
        if (page)
          return { ...page, release: await range.slots.take(part.isNext, range.signal), why: String(cause.message) }
        throw error
      }
      // The start may lie beyond the retention, or the platform may be down, if nothing could be read yet. Halves of a range would then
      // cost a time-out each.
      const isAtStart = isRefused(cause) || (!pace.isRead && width <= firstSpan)
      const isSilent = !pace.isRead && isTimeout(cause)
      pace.span = isAtStart ? 1 : isSilent ? firstSpan : Math.ceil(width / 2)
      pace.growth = isAtStart || isSilent ? 2 : 1.1
      return undefined
    })
    if (!page) continue
    pace.isRead = true
    if ('isWhole' in page) {
      pace.span = Number.POSITIVE_INFINITY // the row that spoilt longer ranges is passed
      pace.growth = 2
      const unread = page.isWhole ? undefined : page.why
      return { batch: { ...sliceRows(page, from, to), unread }, release: page.release, seen: [] }
    }
    const { times, hasMore, release } = page
    pace.hasMore ||= hasMore
    const reached = reachOf(page, from, to, isFiltered)
    if (reached !== undefined) {
      adapt(pace, page, reached - from, width, isFiltered)
      const batch = sliceRows(page, from, reached)
      return { batch, release, seen: reached < to ? times.slice(firstAtOrAfter(times, reached)) : [] }
    }
    release()
    if (width === 1) throw new IncompleteLogsError(range.pullZoneId, from, to, tooFull)
    if (isFiltered) seen = times
    // In the requested order, no row lies before the first one. If all rows have the same time, the page does not prove that. A request
    // that ends before this time, margin included, does.
    const [first = to] = times
    pace.span = isFiltered || first >= to ? Math.ceil(width / 2) : Math.max(1, first - from - 1)
  }
}

const tooFull = 'this millisecond has more rows than a response can hold'

/** The time up to which a page shows all rows; undefined if unknown, for example because too few rows have a readable time. */
function reachOf({ times, hasMore }: LogPage<unknown>, from: number, to: number, isFiltered: boolean) {
  if (!hasMore) return to
  const last = isFiltered || !showsOrder(times) ? undefined : times.at(-1)
  return last !== undefined && last > from ? Math.min(last, to) : undefined
}

/** Whether the platform refuses a range, for example because it is too old. */
function isRefused(cause: unknown): boolean {
  return cause instanceof ApiError && cause.status === 400
}

/** Adapts the length of the next range to a page that showed the first `covered` ms of a range of `width` ms. */
function adapt(
  pace: Pace,
  { times, unreadable, limit, hasMore }: LogPage<unknown>,
  covered: number,
  width: number,
  isFiltered: boolean,
): void {
  const fill = (times.length + unreadable.length) / limit
  const growth = isFiltered ? pace.growth : Math.min(pace.growth, targetFill / fill)
  if (hasMore || width * 2 > pace.span) pace.span = Math.max(1, Math.ceil(covered * growth))
}

/** Returns what is wrong with a page: it is empty although more rows follow, or it lacks rows of an earlier page. */
function faultOfPage(
  { times, unreadable, hasMore }: LogPage<unknown>,
  seen: readonly number[],
  from: number,
  end: number,
): string | undefined {
  if (hasMore) {
    const last = times.at(-1)
    if (last === undefined) return unreadable.length > 0 ? undefined : 'a page is empty, but announces more rows'
    // A page that ends within the first millisecond, or may be reversed, cannot show all of it.
    if (last <= from || !showsOrder(times)) return undefined
  }
  return countIn(times, from, end) < countIn(seen, from, end) ? 'rows of an earlier page are missing' : undefined
}

/**
 * Selects the rows of `[from, to)`, and the unreadable rows that may lie there. Requests overlap by 1 ms, so an unreadable row next to
 * a boundary may be in two batches, because nothing distinguishes it from a second row with equal content.
 */
function sliceRows<Rows extends RowList<Rows>>(
  { rows, times, unreadable, replaced }: LogPage<Rows>,
  from: number,
  to: number,
): PartStart<Rows>['batch'] {
  const [first, last] = [firstAtOrAfter(times, from), firstAtOrAfter(times, to)]
  return {
    rows: rows.slice(first, last),
    times: times.slice(first, last),
    unreadable: unreadable.filter(({ after, before }) => after < to && before >= from),
    end: to,
    replaced,
  }
}

function countIn(times: readonly number[], from: number, to: number): number {
  return firstAtOrAfter(times, to) - firstAtOrAfter(times, from)
}
