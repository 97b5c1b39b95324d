import type { CutPage } from './cut-rows.ts'
import { parseTimestamp } from './instant.ts'
import type { Rows } from './row-batch.ts'

/** A checked page of version 2. */
export interface LogPage extends Rows {
  /** The effective page size, which the server may have lowered. */
  readonly limit: number
  readonly hasMore: boolean
  /** Whether `data` was null instead of a list. */
  readonly isNull: boolean
}

/** The request of a page; times in ms. */
export interface PageRequest {
  readonly pullZoneId: number | bigint
  readonly from: number
  readonly to: number
  readonly limit: number
}

interface Envelope {
  readonly data?: unknown
  readonly pagination?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/**
 * Checks a page against its request: the echoed range, order and size, and the order of its rows (supplement).
 *
 * @param page the response and the positions of its rows
 * @returns the page, or what is wrong with it, as a clause that can follow "because"
 */
export function checkPage({ envelope, ...rows }: CutPage, request: PageRequest): LogPage | string {
  // The values below may have any type; each is compared with an expected value.
  const { data, pagination = {}, query = {} } = (envelope ?? {}) as Envelope
  const { limit, hasMore, offset, returned } = pagination
  const { times } = rows
  const isNull = data === null
  const isRight: Record<string, boolean> = {
    pullZoneId: String(query['pullZoneId']) === String(request.pullZoneId),
    from: timeOf(query['from']) === request.from,
    to: timeOf(query['to']) === request.to,
    order: query['order'] === 'asc',
    offset: offset === 0,
    limit: typeof limit === 'number' && limit >= 1 && limit <= request.limit,
    hasMore: typeof hasMore === 'boolean',
    returned: (isNull || Array.isArray(data)) && returned === times.length,
    timestamp: times.every((time, n) => time >= (times[n - 1] ?? time)),
  }
  const wrong = Object.keys(isRight).find((name) => !isRight[name])
  // If nothing is wrong, `limit` and `hasMore` have the right type.
  return wrong ? `its ${wrong} cannot be` : { ...rows, limit: limit as number, hasMore: hasMore as boolean, isNull }
}

function timeOf(value: unknown): number {
  return parseTimestamp(String(value))
}
