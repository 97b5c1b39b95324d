/** Reads the rows of a closed range, from which the responses of both versions are predicted. */

import { dayMs } from '@cdn/kit/time'
import type { CheckContext } from '../../exchange/check.ts'
import { need, Skip } from '../../exchange/failure.ts'
import { lineFields, type Row, rowText } from '../../exchange/log-rows.ts'
import { operationOf } from '../../exchange/resources.ts'
import { type Item, type LogOperation, type Reference, sortedByTime } from '../../rules/expected.ts'
import { closedAfterMs, maxSample, queryLogs, range, readRange, rowTime, surplus } from './rows.ts'

/** Minimum distance of a reference from the end of the retention in ms, because a run takes some time. */
const retentionMarginMs = 3 * 3_600_000

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
  const toItems = (rows: readonly Row[]) => sortedByTime(rows.map((row) => toItem(operation, row, rowTime(row))))
  const first = now - (operationOf(operation).retentionMs ?? dayMs) + retentionMarginMs
  const firstDay = Math.ceil(first / dayMs) * dayMs
  const starts = isFile
    ? [...(oldest ? [firstDay] : []), today - dayMs, today]
    : [oldest ? first : await startBefore(context, today, first, zone)]
  for (const from of starts) {
    const closed = Math.min(isFile ? from + dayMs : now, now - closedAfterMs)
    if (closed <= from) continue
    const query = { ...range(from, closed), order: 'asc' }
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
  zone: string = need(context.fixtures.loggedZoneId, 'loggedZoneId'),
  oldest = false,
): Promise<Reference> {
  return context.once(`reference ${operation} ${zone}`, () => readReference(context, operation, zone, oldest))
}

/** Returns the time of the oldest of the last `maxSample / 2` rows before a time; `first` if there are none. */
async function startBefore(context: CheckContext, time: number, first: number, zone: string): Promise<number> {
  const query = { ...range(first, time), order: 'desc', limit: `${maxSample / 2}` }
  const last = (await queryLogs(context, query, zone)).rows.at(-1)
  return last ? rowTime(last) : first
}

/** Whether rows of the closed range appeared or disappeared since the reference was read. */
export async function hasChanged(context: CheckContext, reference: Reference): Promise<boolean> {
  const { operation, zone, from, to, items } = reference
  const again = (await readRange(context, from, to, zone)).map((row) => toItem(operation, row, rowTime(row)))
  const before = items.map(({ key }) => key)
  const after = again.filter(({ time }) => time < to).map(({ key }) => key)
  return surplus(before, after).length + surplus(after, before).length > 0
}

/** Maximum number of distinct timestamps whose rows are read again, to find out whether the platform rounds times. */
const maxTimes = 8

/**
 * Whether the platform rounds the times that it shows, which is unspecified: some rows belong to the millisecond before the shown one,
 * and others do not. Then the rows at the ends of a range are unknown.
 */
export async function hasRoundedTimes(context: CheckContext, { zone, items }: Reference): Promise<boolean> {
  const isIn = async (time: number, from: number) =>
    (await readRange(context, from, from + 1, zone)).some((row) => rowTime(row) === time)
  const times = [...new Set(items.map(({ time }) => time))].slice(-maxTimes)
  const places = await Promise.all(times.map(async (time) => `${await isIn(time, time - 1)} ${await isIn(time, time)}`))
  return places.includes('true false') && places.includes('false true')
}

/**
 * Returns the item of a row of version 2, or of a parsed line of version 1. In version 1, the key is the line of the row: texts without
 * pipes and line breaks, which version 1 strips, and `-` for null. The key also has `-` for an empty text (supplement).
 */
export function toItem(operation: LogOperation, row: Row, time: number): Item {
  const fields = lineFields().map(({ name }) => String(name === 'timestamp' ? time : (row[name] ?? '-')))
  const texts = fields.map((field) => field.toWellFormed().replaceAll(/[|\r\n]/g, ''))
  const key = operation === 'query-logs' ? rowText(row) : texts.map((text) => text || '-').join('|')
  return { time, row, line: texts.join('|'), key }
}
