/** Reads the rows of a closed range, from which the answers of both versions are predicted. */
import { dayMs } from '@cdn/kit/time'
import type { CheckContext } from '../../core/check.ts'
import { Skip } from '../../core/failure.ts'
import { canonical, closedAfterMs, lineFields, queryLogs, type Row, range, rowTime, surplus } from '../../core/logs.ts'
import { byTime, type Item, type LogOperation, type Reference } from './expected.ts'

/** Maximum number of rows. Usually enough for every value to occur. */
const maxRows = 500

/**
 * Reads the start of a day, or all of it, in the plainest way: of yesterday, whose file no longer grows, or else of today.
 *
 * @throws Skip if both days have fewer than two rows
 */
export async function readReference(context: CheckContext, operation: LogOperation, zone: string): Promise<Reference> {
  const now = context.now().getTime()
  const today = Math.floor(now / dayMs) * dayMs
  for (const from of [today - dayMs, today]) {
    const closed = Math.min(from + dayMs, now - closedAfterMs)
    if (closed <= from) continue
    const page = await queryLogs(context, { ...range(from, closed), order: 'asc', limit: String(maxRows) }, zone)
    const items = byTime(page.rows.map((row) => toItem(operation, row, rowTime(row))))
    // The next page may have more rows of the last millisecond.
    const to = page.pagination.hasMore ? (items.at(-1)?.time ?? closed) : closed
    const inRange = items.filter(({ time }) => time < to)
    if (inRange.length < 2) continue
    const known = new Set(page.rows.map(canonical))
    const wide = { ...range(from, to), limit: String(2 * maxRows), includeOriginShield: 'true' }
    const { rows, pagination } = await queryLogs(context, wide, zone)
    const others = pagination.hasMore ? [] : rows.filter((row) => !known.has(canonical(row)))
    const shield = others.map((row) => toItem(operation, row, rowTime(row)))
    return { operation, zone, from, to, items: inRange, shield, isWhole: to === from + dayMs }
  }
  throw new Skip(`the pull zone ${zone} shows fewer than two rows of yesterday and today in a closed range`)
}

/** Whether rows of the closed range appeared or disappeared since the reference was read. */
export async function hasChanged(
  context: CheckContext,
  { operation, zone, from, to, items }: Reference,
): Promise<boolean> {
  const page = await queryLogs(context, { ...range(from, to), order: 'asc', limit: String(maxRows) }, zone)
  const again = page.rows.map((row) => toItem(operation, row, rowTime(row))).filter(({ time }) => time < to)
  const [before, after] = [items.map(({ key }) => key), again.map(({ key }) => key)]
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
