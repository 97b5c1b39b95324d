import { parseJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'
import { decode } from '../bytes.ts'

/**
 * Received rows as bytes, ordered by time. Each row is a pair of offsets in typed arrays. One slice per row would create millions
 * of objects.
 */
export interface Rows {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Row n is in `bytes` from `starts[n]` to `ends[n]`, exclusive. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** The shown timestamp of each row, in milliseconds since 1970. */
  readonly times: Float64Array
}

/** A batch of rows of a range; its bytes are reused when the next batch is requested. */
export interface RowBatch extends Rows {
  /** Time in ms. Every row before this time is in this batch or an earlier one. */
  readonly end: number
}

/** @returns the bytes of row n; not a copy */
export function rowBytes({ bytes, starts, ends }: Rows, n: number): Uint8Array {
  return bytes.subarray(starts[n], ends[n])
}

/** A page as bytes, with the positions of its rows. The rows are not parsed. */
export interface CutPage extends Rows {
  /** The parsed response without its rows. If `data` is a list, it is empty here. */
  readonly envelope: unknown
}

/**
 * Parses a timestamp of the platform. Both `Z` and `+00:00` were observed, so timestamps are compared as numbers.
 *
 * @returns whole milliseconds since 1970 (finer digits are cut off); NaN if the timestamp is invalid or has no time zone
 */
export function parseTimestamp(text: string): number {
  return /^\d{4}-\d\d-\d\d($|T.*(Z|[+-]\d\d:\d\d)$)/i.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
}

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

/** A response that cannot be the page of its request. The message is a clause that can follow "because". */
export class UntrustedPage extends Error {}

/**
 * Finds the rows of a page, and checks the page against its request: the echoed range, order and size, and the order of its rows
 * (supplement).
 *
 * @throws UntrustedPage
 */
export function parsePage(bytes: Uint8Array<ArrayBuffer>, request: PageRequest): LogPage {
  let page: CutPage
  try {
    page = cutRows(bytes, request.limit)
  } catch {
    throw new UntrustedPage('the response is not JSON')
  }
  const { envelope, ...rows } = page
  const { data, ...parts } = toRecord(envelope)
  const query = toRecord(parts['query'])
  // These values may have any type; each is compared with an expected value.
  const { limit, hasMore, offset, returned } = toRecord(parts['pagination'])
  const { times } = rows
  const isNull = data === null
  const isRight: Record<string, boolean> = {
    pullZoneId: String(query['pullZoneId']) === String(request.pullZoneId),
    from: parseTimestamp(String(query['from'])) === request.from,
    to: parseTimestamp(String(query['to'])) === request.to,
    order: query['order'] === 'asc',
    offset: offset === 0,
    limit: typeof limit === 'number' && limit >= 1 && limit <= request.limit,
    hasMore: typeof hasMore === 'boolean',
    returned: (isNull || Array.isArray(data)) && returned === times.length,
    timestamp: times.every((time, n) => time >= (times[n - 1] ?? time)),
  }
  const wrong = Object.keys(isRight).find((name) => !isRight[name])
  if (wrong) throw new UntrustedPage(`its ${wrong} cannot be`)
  return { ...rows, limit: limit as number, hasMore: hasMore as boolean, isNull } // of these types, as checked above
}

const [quote, backslash, colon, comma] = [34, 92, 58, 44]
const [brace, braceEnd, bracket, bracketEnd] = [123, 125, 91, 93]
/** Nesting depth of a row's members: response, `data`, row. */
const rowDepth = 3

/**
 * Finds the rows of a page of version 2 and their times in one pass over the bytes. Rows of the usual form are recognised by
 * their first bytes. Other rows and the last row are scanned byte by byte. Invalid JSON between the first and the last row is not
 * detected here. Member names are compared without resolving escapes.
 *
 * @param bytes the whole body
 * @param maxRows maximum number of rows
 * @returns the rows; the time of a row without a valid `timestamp` is NaN
 * @throws SyntaxError for invalid JSON around the rows
 */
export function cutRows(bytes: Uint8Array<ArrayBuffer>, maxRows: number): CutPage {
  const starts = new Uint32Array(maxRows)
  const ends = new Uint32Array(maxRows)
  const times = new Float64Array(maxRows).fill(Number.NaN)
  let count = 0
  let depth = 0
  let text = 0
  let isData = false
  let isTime = false
  const timeOf = timeReader(bytes)
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        text = at
        while (++at < bytes.length && bytes[at] !== quote) if (bytes[at] === backslash) at++
        if (isTime && depth === rowDepth) {
          times[count] = parseTimestamp(decode(bytes.subarray(text + 1, at)))
          isTime = false
        }
        break
      case colon:
        if (depth === 1) isData = holds(bytes, text, '"data"')
        if (depth === rowDepth) isTime = isData && holds(bytes, text, '"timestamp"')
        break
      case brace:
      case bracket:
        if (++depth !== rowDepth || !isData) break
        for (let next = nextRow(bytes, at); next !== undefined; next = nextRow(bytes, at)) {
          const time = timeOf(at)
          if (time === undefined) break
          times[count] = time
          starts[count] = at
          ends[count++] = next - 1
          at = next
        }
        starts[count] = at
        break
      case braceEnd:
      case bracketEnd:
        if (depth-- === rowDepth && isData) ends[count++] = at + 1
    }
  }
  const [first, last] = [count > 0 ? starts[0] : bytes.length, ends[count - 1] ?? bytes.length]
  return {
    bytes,
    starts: starts.subarray(0, count),
    ends: ends.subarray(0, count),
    times: times.subarray(0, count),
    envelope: parseJson(decode(bytes.subarray(0, first)) + decode(bytes.subarray(last))),
  }
}

/**
 * Finds the start of the row after a row without nested braces, by the bytes `},{"` and a letter. These bytes cannot occur in a
 * string: the quote would end the string, and no letter follows a string. So the first closing brace belongs to the row.
 *
 * @param row start of a row
 * @returns the start of the next row; undefined if the row has another form or is the last one
 */
function nextRow(bytes: Uint8Array<ArrayBuffer>, row: number): number | undefined {
  const next = bytes.indexOf(brace, row + 1)
  const isNext = bytes[next - 1] === comma && bytes[next - 2] === braceEnd && bytes[next + 1] === quote
  const letter = bytes[next + 2] ?? 0
  return isNext && letter >= 97 && letter <= 122 ? next : undefined
}

const prefix = '{"timestamp":"'
const minuteLength = 17
const timeLength = 24

/**
 * Creates a parser for the times of rows that begin with a timestamp in whole milliseconds. It parses a date once per minute.
 *
 * @returns a function from the start of a row to its time; undefined for a row of another form
 */
function timeReader(bytes: Uint8Array<ArrayBuffer>): (row: number) => number | undefined {
  let minute = Number.NaN
  let minuteAt = -1
  return (row) => {
    const at = row + prefix.length
    if (bytes[at + timeLength] !== quote || !holds(bytes, row, prefix)) return undefined
    if (minuteAt < 0 || !isSame(bytes, minuteAt, at, minuteLength)) {
      minute = parseTimestamp(`${decode(bytes.subarray(at, at + minuteLength))}00.000Z`)
      minuteAt = at
    }
    const [tens, ones] = [digit(bytes, at + 17), digit(bytes, at + 18)]
    const ms = digit(bytes, at + 20) * 100 + digit(bytes, at + 21) * 10 + digit(bytes, at + 22)
    const time = minute + (tens * 10 + ones) * 1000 + ms
    const isUsual = tens < 6 && bytes[at + 19] === dot && bytes[at + 23] === zulu && !Number.isNaN(time)
    return isUsual ? time : undefined
  }
}

const [dot, zulu] = [46, 90]

function digit(bytes: Uint8Array, at: number): number {
  const value = (bytes[at] as number) - 48 // NaN past the end
  return value >= 0 && value <= 9 ? value : Number.NaN
}

function isSame(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let n = length - 1; n >= 0; n--) if (bytes[a + n] !== bytes[b + n]) return false
  return true
}

function holds(bytes: Uint8Array, at: number, text: string): boolean {
  for (let n = 0; n < text.length; n++) if (bytes[at + n] !== text.charCodeAt(n)) return false
  return true
}
