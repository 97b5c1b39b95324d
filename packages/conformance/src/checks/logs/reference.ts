/** Reads the rows of a closed range, from which the answers of both versions are predicted. */
import { dayMs } from '@cdn/kit/time'
import type { CheckContext } from '../../core/check.ts'
import { Skip } from '../../core/failure.ts'
import {
  canonical,
  closedAfterMs,
  lineFields,
  maxSample,
  queryLogs,
  type Row,
  range,
  readRange,
  rowTime,
  surplus,
} from '../../core/logs.ts'
import { type Item, type LogOperation, type Reference, sortedByTime } from './expected.ts'

/**
 * Reads the start of a day, or all of it, in the plainest way: of yesterday, whose file no longer grows, or else of today.
 *
 * @throws Skip if both days have fewer than two rows
 */
export async function readReference(context: CheckContext, operation: LogOperation, zone: string): Promise<Reference> {
  const now = context.now().getTime()
  const today = Math.floor(now / dayMs) * dayMs
  const toItems = (rows: readonly Row[]) => sortedByTime(rows.map((row) => toItem(operation, row, rowTime(row))))
  for (const from of [today - dayMs, today]) {
    const closed = Math.min(from + dayMs, now - closedAfterMs)
    if (closed <= from) continue
    const page = await queryLogs(context, { ...range(from, closed), order: 'asc', limit: `${maxSample}` }, zone)
    const all = toItems(page.rows)
    // The next page may have more rows of the last millisecond.
    const to = page.pagination.hasMore ? (all.at(-1)?.time ?? closed) : closed
    const items = all.filter(({ time }) => time < to)
    if (items.length < 2) continue
    const known = new Set(page.rows.map(canonical))
    const wide = { ...range(from, to), limit: `${2 * maxSample}`, includeOriginShield: 'true' }
    const { rows, pagination } = await queryLogs(context, wide, zone)
    const shield = pagination.hasMore ? [] : toItems(rows.filter((row) => !known.has(canonical(row))))
    return { operation, zone, from, to, items, shield, isWhole: to === from + dayMs }
  }
  throw new Skip(`the pull zone ${zone} shows fewer than two rows of yesterday and today in a closed range`)
}

/** Whether rows of the closed range appeared or disappeared since the reference was read. */
export async function hasChanged(context: CheckContext, reference: Reference): Promise<boolean> {
  const { operation, zone, from, to, items } = reference
  const again = (await readRange(context, from, to, zone)).map((row) => toItem(operation, row, rowTime(row)))
  const before = items.map(({ key }) => key)
  const after = again.filter(({ time }) => time < to).map(({ key }) => key)
  return surplus(before, after).length + surplus(after, before).length > 0
}

/**
 * Makes an item of a row or a line. In version 1, only the exact fields count: it strips pipes from texts, and `-` can mean null
 * or an empty text.
 */
export function toItem(operation: LogOperation, row: Row, time: number): Item {
  const exact = [time, row['statusCode'], row['bytesSent'], row['pullZoneId'], row['cacheStatus']]
  const fields = lineFields().map(({ name }) => (name === 'timestamp' ? time : (row[name] ?? '-')))
  const line = fields.map((field) => String(field).replaceAll(/[|\r\n]/g, '')).join('|')
  return { time, row, line, key: operation === 'query-logs' ? canonical(row) : exact.join(' ') }
}
