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

/** An answer as it may come: nothing in it is sure. */
interface Answer {
  readonly data?: unknown
  readonly pagination?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/**
 * Checks a page against what was asked: the echoed range, order and size, and the order of its rows (supplement).
 *
 * @param body the decoded answer
 * @returns the page, or what is wrong with it, to follow "because"
 */
export function parsePage(body: unknown, asked: Asked): Page | string {
  const { data, pagination = {}, query = {} } = (body ?? {}) as Answer
  const { limit, hasMore } = pagination
  const same: Record<string, boolean> = {
    'pull zone': String(query['pullZoneId']) === String(asked.pullZoneId),
    start: timeOf(query['from']) === asked.from,
    end: timeOf(query['to']) === asked.to,
    order: query['order'] === 'asc',
    offset: pagination['offset'] === asked.offset,
    'page size': typeof limit === 'number' && limit >= 1 && limit <= asked.limit,
  }
  const other = Object.keys(same).find((name) => !same[name])
  if (other) return `the answer is for another ${other}`
  if (typeof hasMore !== 'boolean') return 'the answer does not say whether more follows'
  const rows = (data === null ? [] : data) as LogRow[]
  if (!Array.isArray(rows) || pagination['returned'] !== rows.length) return 'the answer lacks rows that it counts'
  const times = rows.map((row) => timeOf(row?.timestamp))
  if (times.some((time, index) => !(time >= (times[index - 1] ?? time)))) return 'the rows are not in order of UTC time'
  return { rows, times, limit: limit as number, hasMore, isNull: data === null }
}

function timeOf(value: unknown): number {
  return parseTimestamp(String(value))
}
