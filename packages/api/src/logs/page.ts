import { parseJson, stringifyJson, withExactIntegers } from '@cdn/kit/json'
import { isRecord, toRecord } from '@cdn/kit/record'
import { countReplaced, decode, lengthen } from '../bytes.ts'

/**
 * Parses a timestamp of the platform. Both `Z` and `+00:00` were observed, so timestamps are compared as numbers.
 *
 * @returns whole milliseconds since 1970 (finer digits are cut off), midnight UTC for a date without a time; NaN if the timestamp is
 *   invalid, or is a time without a time zone
 */
export function parseTimestamp(text: string): number {
  return /^\d{4}-\d\d-\d\d($|T.*(Z|[+-]\d\d:\d\d)$)/i.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
}

/** An entry of a page that cannot be a row of the request. It does not make the other rows unreadable. */
export interface UnreadableRow {
  readonly value: unknown
  /** A clause that follows the name of the row, such as `its timestamp cannot be read`. */
  readonly reason: string
  /** Time of the readable row before it, in ms; -Infinity for the first rows of a page, and if the page does not show its order. */
  readonly after: number
  /** Time of the readable row after it, in ms; otherwise the end of the requested range. */
  readonly before: number
}

/** A parsed row. Its fields are not validated, apart from the timestamp. */
export type ParsedRow = Readonly<Record<string, unknown>>

/**
 * Collects the rows of a page while it is parsed, so that the parsed rows need not be in memory at the same time. If the page
 * turns out to be invalid, the collected rows are dropped.
 */
export interface Collector<Rows> {
  /**
   * @param row its integers are those of `JSON.parse`, so one beyond 2^53 may be rounded
   * @param time the shown timestamp, in ms since 1970
   * @param hasEscapes false if no text of the row has a character that JSON must escape, or a lone surrogate
   * @param exact returns the row with exact integers: the same object if none was rounded. Valid only during the call
   */
  add(row: ParsedRow, time: number, hasEscapes: boolean, exact: () => ParsedRow): void
  end(): Rows
}

/** Rows of a page: an array, or another form of them. */
export interface RowList<Rows> {
  readonly length: number
  slice(start: number, end: number): Rows
  /** Called when the consumer is done with the rows. */
  free?(): void
}

/** The rows of a page, ascending by time. */
export interface PageRows<Rows = readonly ParsedRow[]> {
  /** Objects that have a timestamp within the requested range. */
  readonly rows: Rows
  /** The shown timestamp of each row, in milliseconds since 1970. */
  readonly times: readonly number[]
  readonly unreadable: readonly UnreadableRow[]
}

/** The index of the first time at or after `at`, searched from the index `start` on. @param times ascending */
export function firstAtOrAfter(times: readonly number[], at: number, start = 0): number {
  let [low, high] = [start, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) < at)
      low = middle + 1 // within bounds
    else high = middle
  }
  return low
}

/** A checked page of version 2. */
export interface LogPage<Rows> extends PageRows<Rows> {
  /** The effective page size, which the server may have lowered. */
  readonly limit: number
  readonly hasMore: boolean
  /** Whether `data` was null instead of a list. */
  readonly isNull: boolean
  /** Number of byte sequences that are not UTF-8. Each became U+FFFD. */
  readonly replaced: number
}

/** The request of a page; times in ms. */
export interface PageRequest {
  readonly pullZoneId: number | bigint
  readonly from: number
  readonly to: number
  readonly limit: number
  /** Number of rows to leave out; 0 by default. */
  readonly offset?: number | undefined
}

/** A response that cannot be the page of its request. The message is a clause that can follow "because". */
export class UntrustedPage extends Error {}

/**
 * A response that may lack rows, for example rows that an earlier response has shown. Requesting a shorter range could hide the fault,
 * but not resolve it.
 */
export class InconsistentPage extends UntrustedPage {}

/** Length of the pieces in which a page is parsed, in bytes: about 100 rows. */
const pieceBytes = 65_536
const dataStart = '{"data":['

/**
 * Creates a parser of a page, which checks the page against its request: the echoed range, order and size, and the order of its rows
 * (supplement).
 *
 * It parses a page in pieces while it arrives, so that neither its text nor all of its parsed rows are in memory. The bytes are cut
 * where two rows may meet. `JSON.parse` refuses a piece that ends within a text or a nested value. The rest of a
 * page that cannot be cut is parsed as a whole.
 */
export function createPageParser<Rows>(request: PageRequest, collector: Collector<Rows>) {
  const entries = createEntries(request, collector)
  /** The first `length` bytes are those that are not parsed yet. They begin with an entry, unless nothing was parsed. */
  let buffer = new Uint8Array(2 * pieceBytes)
  let length = 0
  /** Minimum number of unparsed bytes for the next attempt to cut them. */
  let minBytes = pieceBytes
  let isFirst = true
  let replaced = 0

  function cut(): void {
    const end = lastBoundary(buffer, length)
    minBytes = end > 0 ? pieceBytes : length * 2
    if (end === 0) return
    const text = decode(buffer.subarray(0, end))
    const start = isFirst ? dataStart : ''
    const json = `[${text.slice(start.length)}]`
    let piece: unknown
    try {
      piece = text.startsWith(start) && JSON.parse(json)
    } catch {
      // The cut is within a text or a nested value.
    }
    if (!Array.isArray(piece)) {
      minBytes = Number.POSITIVE_INFINITY
      return
    }
    entries.add(piece, text.includes('\\'), () => withExactIntegers(piece, json) as typeof piece)
    replaced += countReplaced(buffer.subarray(0, end), text)
    isFirst = false
    buffer.copyWithin(0, end + 1, length) // without the comma
    length -= end + 1
  }

  return {
    /** Adds the next bytes of the response. */
    add(bytes: Uint8Array): void {
      const start = length
      length += bytes.length
      if (length > buffer.length) buffer = lengthen(buffer, length * 2)
      buffer.set(bytes, start)
      if (length >= minBytes) cut()
    },
    /** @returns the page @throws UntrustedPage */
    end(): LogPage<Rows> {
      const text = decode(buffer.subarray(0, length))
      let page: ParsedRow
      try {
        page = toRecord(parseJson(isFirst ? text : dataStart + text))
      } catch {
        throw new UntrustedPage('the response is not JSON') // the parser's message quotes rows
      }
      const { data } = page
      const query = toRecord(page['query'])
      // The response may have a value of any type in these fields, so each value is checked below.
      const { limit, hasMore, offset, returned } = toRecord(page['pagination'])
      if (Array.isArray(data)) entries.add(data, text.includes('\\'), () => data)
      const { count, isOrdered, ...rows } = entries.end()
      const isNull = data === null
      const isRight: Record<string, boolean> = {
        pullZoneId: String(query['pullZoneId']) === String(request.pullZoneId),
        from: parseTimestamp(String(query['from'])) === request.from,
        to: parseTimestamp(String(query['to'])) === request.to,
        order: query['order'] === 'asc',
        offset: offset === (request.offset ?? 0),
        limit: typeof limit === 'number' && limit >= 1 && limit <= request.limit,
        hasMore: typeof hasMore === 'boolean',
        returned: (isNull || Array.isArray(data)) && returned === count && count <= request.limit,
        timestamp: isOrdered,
      }
      const wrong = Object.keys(isRight).find((name) => !isRight[name])
      if (wrong) throw new UntrustedPage(`its field ${wrong} is wrong`)
      replaced += countReplaced(buffer.subarray(0, length), text)
      return { ...rows, limit: limit as number, hasMore: hasMore as boolean, isNull, replaced } // of these types, as checked above
    },
  }
}

const [comma, open, close] = [...',{}'].map((sign) => sign.charCodeAt(0))

/** The index of the last comma between `}` and `{` in the first `length` bytes; 0 without one. */
function lastBoundary(bytes: Uint8Array, length: number): number {
  for (let at = length - 2; at > 0; at--)
    if (bytes[at] === comma && bytes[at - 1] === close && bytes[at + 1] === open) return at
  return 0
}

const secondLength = '2026-06-17T14:30:05'.length
const milliseconds = new Map(Array.from({ length: 1000 }, (_, n) => [`.${String(n).padStart(3, '0')}Z`, n]))

/**
 * Creates a function that parses timestamps as `parseTimestamp` does. Neighbouring rows often differ only in the milliseconds, so
 * each second is parsed once.
 */
function createTimeOf(): (timestamp: unknown) => number {
  let second = ''
  let start = Number.NaN
  return (timestamp) => {
    if (typeof timestamp !== 'string') return Number.NaN
    const ms = milliseconds.get(timestamp.slice(secondLength))
    if (ms === undefined) return parseTimestamp(timestamp)
    if (timestamp.slice(0, secondLength) !== second) {
      second = timestamp.slice(0, secondLength)
      start = parseTimestamp(`${second}.999Z`) - 999
    }
    return Number.isNaN(start) ? parseTimestamp(timestamp) : start + ms // 24:00:00.000 is valid, 24:00:00.999 is not
  }
}

/** Collects the entries of a page, in order. */
function createEntries<Rows>({ from, to }: PageRequest, collector: Collector<Rows>) {
  const times: number[] = []
  const unreadable: UnreadableRow[] = []
  const timeOf = createTimeOf()
  let isOrdered = true
  return {
    /** @param parseExactly returns the same entries with exact integers */
    add(entries: readonly unknown[], hasEscapes: boolean, parseExactly: () => readonly unknown[]): void {
      let exactEntries: readonly unknown[] | undefined
      let n = 0
      const exact = () => {
        exactEntries ??= parseExactly()
        return exactEntries[n] as ParsedRow // a record, as the row that it replaces
      }
      for (; n < entries.length; n++) {
        const value = entries[n]
        const time = isRecord(value) ? timeOf(value['timestamp']) : Number.NaN
        const last = times.at(-1) ?? Number.NEGATIVE_INFINITY
        // The store may hold finer times and round them up, so the end is possible, too.
        if (isRecord(value) && time >= from && time <= to) {
          isOrdered &&= time >= last
          times.push(time)
          collector.add(value, time, hasEscapes, exact)
          continue
        }
        const flaw = Number.isNaN(time) ? 'cannot be read' : 'lies outside the requested range'
        const reason = isRecord(value) ? `its timestamp ${flaw}` : 'it is not an object'
        unreadable.push({ value: exact(), reason, after: last, before: times.length })
      }
    },
    end() {
      // `before` was the index of the next readable row until here.
      const placed = unreadable.map((row) => ({
        ...row,
        ...(showsOrder(times) ? { before: times[row.before] ?? to } : { after: Number.NEGATIVE_INFINITY, before: to }),
      }))
      return { rows: collector.end(), times, unreadable: placed, count: times.length + placed.length, isOrdered }
    },
  }
}

/** Whether the readable times of a page tell the requested order from the reverse. @param times ascending */
export function showsOrder(times: readonly number[]): boolean {
  return times.length > 0 && times[0] !== times.at(-1)
}

/** The text of an entry; undefined if it is nested too deeply. */
export function stringifyEntry(entry: unknown): string | undefined {
  try {
    return stringifyJson(entry)
  } catch {
    return undefined
  }
}

export function collectParsed(): Collector<readonly ParsedRow[]> {
  const rows: ParsedRow[] = []
  return { add: (_row, _time, _hasEscapes, exact) => void rows.push(exact()), end: () => rows }
}
