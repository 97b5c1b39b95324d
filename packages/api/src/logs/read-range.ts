import type { Grant, PageBudget } from './budget.ts'
import { noTimes, type Pace, type RangePart, type Reached, readStart } from './read-part.ts'
import { createRequestPage, type LogRange, type RequestPage } from './request-page.ts'
import type { RowBatch } from './row-batch.ts'
import type { LogSource } from './source.ts'

/**
 * Number of parts of a range to read concurrently, for small and for large pages. Sequential requests would be too slow to use the
 * rate limit. If a response takes 0.4 to 0.9 s, two parts use 92 % of the limit, and three parts use 94 %, the possible maximum
 * (measured in tests with virtual time). Each part holds a page in memory, so only two parts are read if pages are large.
 */
const [parallel, parallelLarge] = [3, 2]
const largeBytes = 2 ** 22

interface OpenPart {
  readonly to: number
  readonly page: Promise<Reached>
  readonly held: { grant: Grant | undefined }
}

/**
 * Reads a range in parts, several concurrently, and hands them out in order. Earlier pages show how long a range fits into a page;
 * each part gets this length. A range of one page costs one request. Each part is read at most one page ahead of the consumer. So
 * memory is bounded, and a slow consumer slows down the requests.
 *
 * @returns batches of whole milliseconds, in order, each row once; an early exit ends pending requests
 * @throws the errors of `requestPage`
 */
export async function* readRangeParts(
  source: LogSource,
  range: LogRange,
  budget: PageBudget,
): AsyncGenerator<RowBatch, void, void> {
  const { pullZoneId } = range
  const controller = new AbortController()
  const signal = source.signal ? AbortSignal.any([source.signal, controller.signal]) : controller.signal
  const requestPage = createRequestPage({ ...source, signal }, range)
  const pace: Pace = { span: Number.POSITIVE_INFINITY, growth: 2, hasMore: false }
  const parts: OpenPart[] = []
  let { from } = range
  let seen = noTimes
  let pageBytes = 0
  const open = (part: RangePart, grant?: Grant): OpenPart => {
    const held = { grant }
    const requestWithin: RequestPage = async (start, end, options) => {
      held.grant ??= await budget.reserve({ pullZoneId, ms: end - start }, signal)
      const { grant } = held
      const page = await requestPage(start, end, { ...options, rows: grant.rows, room: grant.room })
      pageBytes = page.bytes.length
      const covered = page.hasMore ? (page.times.at(-1) ?? start) : end
      grant.settle({ bytes: pageBytes, rows: page.times.length, ms: covered - start })
      return page
    }
    const page = readStart(requestWithin, range, part, pace)
    page.catch(() => {}) // awaited later, in order
    return { to: part.to, page, held }
  }
  const drop = ({ page, held }: OpenPart) => page.catch(() => {}).finally(() => held.grant?.release())
  const fill = () => {
    while (parts.length < (pageBytes > largeBytes ? parallelLarge : parallel) && from < range.to) {
      const to = Math.min(range.to, from + pace.span)
      const grant = parts.length > 0 ? budget.reserveAhead({ pullZoneId, ms: to - from }) : undefined
      if (parts.length > 0 && !grant) break
      parts.push(open({ from, to, seen }, grant))
      from = to
      seen = noTimes
    }
  }
  try {
    for (fill(); parts[0]; fill()) {
      const [{ to, page, held }] = parts
      const { batch, seen: shown } = await page
      if (to - batch.end > pace.span) {
        // The part has more pages than expected. The rest of it and the parts after it are divided again into shorter parts.
        parts.splice(1).forEach(drop)
        from = batch.end
        seen = shown
      } else if (to > batch.end) parts.splice(1, 0, open({ from: batch.end, to, seen: shown }))
      const { grant } = held
      held.grant = undefined
      fill()
      try {
        yield batch
      } finally {
        grant?.release(batch.bytes.buffer)
      }
      parts.shift()
    }
  } finally {
    controller.abort()
    parts.forEach(drop)
  }
}
