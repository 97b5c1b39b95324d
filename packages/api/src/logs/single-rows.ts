import { collectParsed, type LogPage, type ParsedRow, type RowList, stringifyEntry } from './page.ts'
import { createRequestPage, isTimeout, isUnreadable, type LogRange } from './request-page.ts'

/** Maximum number of rows of a millisecond that are read one by one. */
const maxRows = 100
/** After this many failures at the start, without any row, the rows are not the cause. A time-out counts twice. */
const maxFailures = 4

/**
 * Reads the rows of one millisecond one by one, because a response with all of them cannot be read. Rows of equal time have no fixed
 * order, so a row may be repeated in place of another one. Therefore the rows count only if no two of them are equal.
 *
 * @param minRows number of rows of the millisecond that an earlier page has shown
 * @returns the rows that can be read, and whether these are all (`isWhole`). No rows if two are equal, if there are more than
 *   `maxRows`, or if there are fewer than `minRows`. Undefined if every request fails
 * @throws the errors of `requestPage` that do not concern the content
 */
export async function readSingleRows<Rows extends RowList<Rows>>(
  range: LogRange<Rows>,
  at: number,
  minRows: number,
  isNext: () => boolean,
): Promise<(LogPage<Rows> & { readonly isWhole: boolean }) | undefined> {
  const requestPage = createRequestPage({ ...range, collect: collectParsed })
  const options = { limit: 1, isNext, isNarrowable: true, doubtEmpty: false, check: () => undefined }
  const pages: (LogPage<readonly ParsedRow[]> | undefined)[] = []
  let failures = 0
  for (let offset = 0; offset < maxRows; offset++) {
    const page = await requestPage(at, at + 1, { ...options, offset }).catch((cause) => {
      if (!isUnreadable(cause)) throw cause
      failures += isTimeout(cause) ? 2 : 1
      return undefined
    })
    page?.release()
    pages.push(page)
    if (page && !page.hasMore) break
    if (failures >= maxFailures && pages.every((each) => each === undefined)) break
  }
  const answered = pages.filter((page) => page !== undefined)
  if (answered.length === 0) return undefined
  const texts = answered.flatMap(({ rows, unreadable }) =>
    [...rows, ...unreadable].map((row) => stringifyEntry(row) ?? row),
  )
  const count = answered.flatMap(({ times }) => times).filter((time) => time === at).length
  const isEnd = answered.at(-1)?.hasMore === false
  const isKnown = isEnd && new Set(texts).size === texts.length && count + pages.length - answered.length >= minRows
  const timeOf = ({ times: [time = at] }: (typeof answered)[number]) => time
  const readable = isKnown ? answered.toSorted((a, b) => timeOf(a) - timeOf(b)) : []
  const collector = range.collect()
  for (const page of readable) for (const row of page.rows) collector.add(row, timeOf(page), true, () => row)
  return {
    ...{ rows: collector.end(), limit: 1, hasMore: false, isNull: false },
    times: readable.flatMap(({ times }) => times),
    unreadable: readable.flatMap(({ unreadable }) => unreadable),
    replaced: readable.reduce((sum, { replaced }) => sum + replaced, 0),
    isWhole: readable.length === pages.length,
  }
}
