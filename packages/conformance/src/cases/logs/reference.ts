/** Reads the rows of a closed range, from which the responses of both versions are predicted. */

import { dayMs, hourMs } from '@cdn/kit/time'
import type { CheckContext } from '../../exchange/check.ts'
import { requireOrSkip, Skip } from '../../exchange/failure.ts'
import { type Row, rowText } from '../../exchange/log-rows.ts'
import { operationOf } from '../../exchange/resources.ts'
import { type LogItem, type LogOperation, type Reference, sortedByTime } from '../../rules/predictions.ts'
import { itemsInOnlyOne, itemsOfPage } from './compare-rows.ts'
import { closedAfterMs, maxSample, queryLogs, rangeQuery, rowTime } from './rows.ts'

/** Minimum distance of a reference from the end of the retention in ms, because a run takes some time. */
const retentionMarginMs = 3 * hourMs

/**
 * Reads the rows of a closed range with plain queries of version 2. For version 1, the range is yesterday, or today if yesterday
 * has fewer than two rows; for a long day, only its start. For version 2, the range crosses the last midnight, unless
 * `oldest` is set.
 *
 * @param oldest whether the range begins as early as the retention allows. In version 1, if the first whole day has fewer than two rows,
 *   the range is yesterday or today after all
 * @throws Skip if all of these ranges have fewer than two rows
 */
async function readReference(
  context: CheckContext,
  operation: LogOperation,
  zone: string,
  oldest: boolean,
): Promise<Reference> {
  const now = context.now().getTime()
  const today = Math.floor(now / dayMs) * dayMs
  const isFile = operation === 'read-log-file'
  const toItems = (rows: readonly Row[]) => sortedByTime(itemsOfPage({ rows }, operation))
  const first = now - (operationOf(operation).retentionMs ?? dayMs) + retentionMarginMs
  const firstDay = Math.ceil(first / dayMs) * dayMs
  const starts = isFile
    ? [...(oldest ? [firstDay] : []), today - dayMs, today]
    : [oldest ? first : await startBefore(context, today, first, zone)]
  for (const from of starts) {
    const closed = Math.min(isFile ? from + dayMs : now, now - closedAfterMs)
    if (closed <= from) continue
    const query = { ...rangeQuery(from, closed), order: 'asc' }
    const [page, wide] = await Promise.all([
      queryLogs(context, { ...query, limit: `${maxSample}` }, zone),
      queryLogs(context, { ...query, limit: `${2 * maxSample}`, includeOriginShield: 'true' }, zone),
    ])
    const all = toItems(page.rows)
    // The next page may have more rows of the last millisecond.
    const to = page.pagination.hasMore ? (all.at(-1)?.time ?? closed) : closed
    const items = all.filter(({ time }) => time < to)
    if (items.length < 2) continue
    const known = new Set(page.rows.map(rowText))
    const others = toItems(wide.rows.filter((row) => !known.has(rowText(row))))
    const isComplete = !wide.pagination.hasMore || others.some(({ time }) => time >= to)
    const shield = isComplete ? others.filter(({ time }) => time < to) : []
    return { operation, zone, from, to, items, shield, isWhole: to === from + dayMs }
  }
  throw new Skip(`the pull zone ${zone} shows fewer than two rows in a closed range of its logs`)
}

/** Returns the reference of a pull zone, by default of `loggedZoneId` and version 2. The checks of a run share it. */
export function referenceOf(
  context: CheckContext,
  operation: LogOperation = 'query-logs',
  zone: string = requireOrSkip(context.fixtures.loggedZoneId, 'loggedZoneId'),
  oldest = false,
): Promise<Reference> {
  return context.once(`reference ${operation} ${zone}`, () => readReference(context, operation, zone, oldest))
}

/** Returns the time of the oldest of the last `maxSample / 2` rows before a time; `first` if there are none. */
async function startBefore(context: CheckContext, time: number, first: number, zone: string): Promise<number> {
  const query = { ...rangeQuery(first, time), order: 'desc', limit: `${maxSample / 2}` }
  const last = (await queryLogs(context, query, zone)).rows.at(-1)
  return last ? rowTime(last) : first
}

/** Maximum number of rows of a range that is read again. */
const maxRead = 1_000

/**
 * Reads all items of a range, by default of `loggedZoneId` and version 2, oldest first.
 *
 * @throws Skip if they do not fit into one page
 */
export async function readRange(
  context: CheckContext,
  { operation, zone, from, to }: Pick<Reference, 'from' | 'to'> & Partial<Reference>,
): Promise<LogItem[]> {
  const query = { ...rangeQuery(from, to), order: 'asc' }
  const page = await queryLogs(context, { ...query, limit: `${maxRead}` }, zone)
  // A true `hasMore` may be wrong, so the next page decides.
  const readNext = () => queryLogs(context, { ...query, limit: '1', offset: `${page.rows.length}` }, zone)
  if (page.pagination.hasMore && (await readNext()).rows.length > 0)
    throw new Skip(`a range of at most ${maxSample} rows has more than ${maxRead} when it is read again`)
  return itemsOfPage(page, operation)
}

/** Whether rows of the closed range appeared or disappeared since the reference was read. */
export async function hasChanged(context: CheckContext, reference: Reference): Promise<boolean> {
  const again = await readRange(context, reference)
  const inRange = again.filter(({ time }) => time < reference.to)
  return itemsInOnlyOne(reference.items, inRange).length > 0
}

/** Maximum number of distinct timestamps whose rows are read again, to find out whether the platform rounds times. */
const maxTimes = 8

/**
 * Whether the platform rounds the times that it shows, which is unspecified: some rows belong to the millisecond before the shown one,
 * and others do not. Then the rows at the ends of a range are unknown.
 */
export async function hasRoundedTimes(context: CheckContext, reference: Reference): Promise<boolean> {
  const isIn = async (time: number, from: number) =>
    (await readRange(context, { ...reference, from, to: from + 1 })).some((item) => item.time === time)
  const times = [...new Set(reference.items.map(({ time }) => time))].slice(-maxTimes)
  const places = await Promise.all(times.map(async (time) => `${await isIn(time, time - 1)} ${await isIn(time, time)}`))
  return places.includes('true false') && places.includes('false true')
}

/**
 * Whether a row has the time of an end of a reference. If times are rounded, it may belong to the other side: to the file of another day.
 */
export async function hasRowAtEnd(context: CheckContext, reference: Reference): Promise<boolean> {
  const isAt = async (end: number) =>
    (await readRange(context, { ...reference, from: end - 1, to: end + 1 })).some(({ time }) => time === end)
  return (await isAt(reference.from)) || (await isAt(reference.to))
}
