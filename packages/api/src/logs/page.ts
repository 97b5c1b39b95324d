import { parseJson } from '@cdn/kit/json'
import { isRecord, toRecord } from '@cdn/kit/record'

/**
 * Parses a timestamp of the platform. Both `Z` and `+00:00` were observed, so timestamps are compared as numbers.
 *
 * @returns whole milliseconds since 1970 (finer digits are cut off); NaN if the timestamp is invalid or has no time zone
 */
export function parseTimestamp(text: string): number {
  return /^\d{4}-\d\d-\d\d($|T.*(Z|[+-]\d\d:\d\d)$)/i.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
}

/** An entry of a page that cannot be a row of the request. It does not make the other rows unreadable. */
export interface UnreadableRow {
  /** The parsed entry. */
  readonly value: unknown
  /** A clause that follows the name of the row, such as `its timestamp cannot be read`. */
  readonly reason: string
  /** Time of the readable row before it, in ms; -Infinity for the first rows of a page. */
  readonly after: number
  /** Time of the readable row after it, in ms; the end of the request for the last rows of a page. */
  readonly before: number
}

/** The rows of a page, ascending by time. */
export interface PageRows {
  /** Objects that have a timestamp within the requested range. Their other fields are not validated. */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** The shown timestamp of each row, in milliseconds since 1970. */
  readonly times: readonly number[]
  readonly unreadable: readonly UnreadableRow[]
}

/** A checked page of version 2. */
export interface LogPage extends PageRows {
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

/** A response that cannot be the page of its request. The message is a clause that can follow "because". */
export class UntrustedPage extends Error {}

/**
 * Parses a page, and checks it against its request: the echoed range, order and size, and the order of its rows (supplement).
 *
 * @throws UntrustedPage
 */
export function parsePage(text: string, request: PageRequest): LogPage {
  let page: Readonly<Record<string, unknown>>
  try {
    page = toRecord(parseJson(text))
  } catch {
    throw new UntrustedPage('the response is not JSON') // the parser's message quotes rows
  }
  const { data } = page
  const query = toRecord(page['query'])
  // These values may have any type; each is compared with an expected value.
  const { limit, hasMore, offset, returned } = toRecord(page['pagination'])
  const entries: readonly unknown[] = Array.isArray(data) ? data : []
  const rows = placeRows(entries, request)
  const isNull = data === null
  const isRight: Record<string, boolean> = {
    pullZoneId: String(query['pullZoneId']) === String(request.pullZoneId),
    from: parseTimestamp(String(query['from'])) === request.from,
    to: parseTimestamp(String(query['to'])) === request.to,
    order: query['order'] === 'asc',
    offset: offset === 0,
    limit: typeof limit === 'number' && limit >= 1 && limit <= request.limit,
    hasMore: typeof hasMore === 'boolean',
    returned: (isNull || Array.isArray(data)) && returned === entries.length && entries.length <= request.limit,
    timestamp: rows.times.every((time, n) => time >= (rows.times[n - 1] ?? time)),
  }
  const wrong = Object.keys(isRight).find((name) => !isRight[name])
  if (wrong) throw new UntrustedPage(`its ${wrong} cannot be`)
  return { ...rows, limit: limit as number, hasMore: hasMore as boolean, isNull } // of these types, as checked above
}

const usualLength = '2026-06-17T14:30:05.123Z'.length

/** The time of a row, in ms; NaN if it cannot be read. The usual form is parsed without an expression, which would take longer. */
function timeOf(timestamp: unknown): number {
  if (typeof timestamp !== 'string') return Number.NaN
  const isUsual = timestamp.length === usualLength && timestamp[10] === 'T' && timestamp[usualLength - 1] === 'Z'
  return isUsual ? Date.parse(timestamp) : parseTimestamp(timestamp)
}

function placeRows(entries: readonly unknown[], { from, to }: PageRequest): PageRows {
  const rows: Readonly<Record<string, unknown>>[] = []
  const times: number[] = []
  const unreadable: UnreadableRow[] = []
  for (const value of entries) {
    const time = isRecord(value) ? timeOf(value['timestamp']) : Number.NaN
    // The store may hold finer times and round them up, so the end is possible, too.
    if (isRecord(value) && time >= from && time <= to) {
      rows.push(value)
      times.push(time)
      continue
    }
    const flaw = Number.isNaN(time) ? 'cannot be read' : 'lies outside the requested range'
    const reason = isRecord(value) ? `its timestamp ${flaw}` : 'it is not an object'
    unreadable.push({ value, reason, after: times.at(-1) ?? Number.NEGATIVE_INFINITY, before: times.length })
  }
  // `before` was the index of the next readable row until here.
  const placed = unreadable.map((row) => ({ ...row, before: times[row.before] ?? to }))
  return { rows, times, unreadable: placed }
}
