import { toInteger } from '@cdn/kit/json'
import type { components } from '../gen/logging.ts'

type LogEntry = components['schemas']['LogEntry']
type Nullable = 'remoteIp' | 'referer' | 'url' | 'edgeLocation' | 'userAgent' | 'requestId' | 'countryCode'
type Extended = 'bodyBytesSent' | 'contentRange' | 'authorizationHeader'

/** One request, as a line of version 1 shows it. Absent values (`-`) are null. */
export interface LogFileRow
  extends Readonly<Pick<LogEntry, 'statusCode' | 'bytesSent' | 'pullZoneId'>>,
    Readonly<Required<Pick<LogEntry, Nullable>>>,
    Readonly<Pick<LogEntry, Extended>> {
  /** Never null: `-` is the status of a request that did not involve the cache (§2). */
  readonly cacheStatus: string
  /** Milliseconds since 1970, UTC. */
  readonly timestamp: number
  readonly malformed?: undefined
}

/** A line that cannot be parsed, unchanged. With extended logging, the line may contain a visitor's credential. */
export interface MalformedLine {
  readonly malformed: true
  readonly text: string
}

const [pipe, dash] = ['|', 45]
/** Ends of the fields of the current line. The list is reused, so that no line allocates one. */
const ends: number[] = []

/**
 * Parses whole lines of version 1 (supplement: `x-line`). Lines have no escapes, because the server strips pipes from user text.
 * The parser searches for the ends of lines and fields, then slices the fields. Splitting into lists would take twice the time.
 *
 * @param text lines, with LF or CRLF; the last line may lack its line end
 * @returns one row per line; a MalformedLine if the number of fields is neither 12 nor 15 (extended logging) or an integer is invalid. Blank lines are skipped
 */
export function parseLines(text: string): (LogFileRow | MalformedLine)[] {
  const rows: (LogFileRow | MalformedLine)[] = []
  let next = -1
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const stop = newline === -1 ? text.length : newline
    const end = stop > start && text[stop - 1] === '\r' ? stop - 1 : stop
    let count = 0
    for (let at = start; ; at = next + 1) {
      if (next < at) next = text.indexOf(pipe, at)
      if (next === -1) next = Number.POSITIVE_INFINITY
      if (next >= end) break
      ends[count++] = next
    }
    ends[count++] = end
    const row = toRow(text, start, count)
    if (row) rows.push(row)
    else if (text.slice(start, end).trim()) rows.push({ malformed: true, text: text.slice(start, end) })
    start = stop + 1
  }
  return rows
}

function toRow(text: string, start: number, count: number): LogFileRow | undefined {
  const isExtended = count === 15
  if (!isExtended && count !== 12) return undefined
  const [statusCode, timestamp] = [integer(text, 1), integer(text, 2)]
  const [bytesSent, pullZoneId] = [integer(text, 3), integer(text, 4)]
  if (statusCode === undefined || timestamp === undefined) return undefined
  if (bytesSent === undefined || pullZoneId === undefined) return undefined
  const row = {
    cacheStatus: text.slice(start, ends[0]),
    statusCode: Number(statusCode),
    timestamp: Number(timestamp),
    bytesSent,
    pullZoneId,
    remoteIp: field(text, 5),
    referer: field(text, 6),
    url: field(text, 7),
    edgeLocation: field(text, 8),
    userAgent: field(text, 9),
    requestId: field(text, 10),
    countryCode: field(text, 11),
  }
  if (!isExtended) return row
  const bodyBytesSent = field(text, 12) === null ? null : integer(text, 12)
  if (bodyBytesSent === undefined) return undefined
  return { ...row, bodyBytesSent, contentRange: field(text, 13), authorizationHeader: field(text, 14) }
}

/** Returns field n of the line, for n above 0; null for `-`. */
function field(text: string, n: number): string | null {
  const start = (ends[n - 1] as number) + 1 // the line has this field
  const end = ends[n]
  return end === start + 1 && text.charCodeAt(start) === dash ? null : text.slice(start, end)
}

/** Returns field n of the line as an integer of up to 20 digits; undefined for another text. */
function integer(text: string, n: number): number | bigint | undefined {
  const start = (ends[n - 1] as number) + 1 // the line has both fields
  const end = ends[n] as number
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  if (end === start || end - start > 20) return undefined
  return end - start > 15 ? toInteger(text.slice(start, end)) : value
}
