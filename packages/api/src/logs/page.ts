import { property } from '../errors/refusal.ts'
import { parseTimestamp } from './instant.ts'
import type { LogRow, Rows } from './row.ts'

/** One page of version 2, checked. */
export interface Page extends Rows {
  /** The effective page size; a server may have lowered it. The next page starts at offset + limit. */
  readonly limit: number
  readonly hasMore: boolean
  /** `data` was null instead of a list. */
  readonly isNull: boolean
}

/** What a page was asked for; times in ms. */
export interface Asked {
  readonly pullZoneId: number | bigint
  readonly from: number
  readonly to: number
  readonly limit: number
  readonly offset: number
}

/**
 * Checks a page against what was asked: the echoed range, order and size, and the order of its rows (supplement).
 *
 * @param body the decoded answer
 * @returns the page, or what is wrong with it, to follow "because"
 */
export function parsePage(body: unknown, asked: Asked): Page | string {
  const query = property(body, 'query')
  const pagination = property(body, 'pagination')
  const data = property(body, 'data')
  if (String(property(query, 'pullZoneId')) !== String(asked.pullZoneId)) return 'the answer is for another pull zone'
  if (echoed(query, 'from') !== asked.from || echoed(query, 'to') !== asked.to) return 'the answer is for another range'
  if (property(query, 'order') !== 'asc') return 'the answer is for another order'
  if (Number(property(pagination, 'offset')) !== asked.offset) return 'the answer is for another offset'

  const limit = property(pagination, 'limit')
  if (typeof limit !== 'number' || !(limit >= 1)) return 'the answer names no page size'
  if (limit > asked.limit) return 'the page size is larger than the one asked for'
  const hasMore = property(pagination, 'hasMore')
  if (typeof hasMore !== 'boolean') return 'the answer does not say whether more follows'

  const rows = data === null ? [] : data
  if (!Array.isArray(rows)) return 'the answer holds no list of rows'
  if (property(pagination, 'returned') !== rows.length) return 'the answer does not hold as many rows as it says'
  const times = rows.map((row) => parseTimestamp(String(property(row, 'timestamp'))))
  if (times.some(Number.isNaN)) return 'a row has no timestamp in UTC'
  if (times.some((time, index) => time < (times[index - 1] ?? time))) return 'the rows are out of order'
  return { rows: rows as LogRow[], times, limit, hasMore, isNull: data === null }
}

function echoed(query: unknown, name: string): number {
  return parseTimestamp(String(property(query, name)))
}
