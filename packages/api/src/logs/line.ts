import type { components } from '../gen/logging.ts'
import { toInteger } from '../json.ts'

type LogEntry = components['schemas']['LogEntry']
type Nullable = 'remoteIp' | 'referer' | 'url' | 'edgeLocation' | 'userAgent' | 'requestId' | 'countryCode'
type Extended = 'bodyBytesSent' | 'contentRange' | 'authorizationHeader'

/** One request, as a line of version 1 shows it; what is absent (`-`) is null. */
export interface LogFileRow
  extends Readonly<Pick<LogEntry, 'statusCode' | 'bytesSent' | 'pullZoneId'>>,
    Readonly<Required<Pick<LogEntry, Nullable>>>,
    Readonly<Pick<LogEntry, Extended>> {
  /** In any case a text: here `-` is the status of a request without interaction with the cache (§2). */
  readonly cacheStatus: string
  /** Milliseconds since 1970, UTC. */
  readonly timestamp: number
  readonly malformed?: undefined
}

/** A line that does not parse, as it came. With extended logging it may hold a visitor's credential. */
export interface MalformedLine {
  readonly malformed: true
  readonly text: string
}

const digits = /^\d{1,20}$/

/**
 * Parses a line of version 1 (supplement: `x-line`). Nothing is escaped in it; the server strips pipes from user text.
 *
 * @param text the line without its end
 * @param extended whether the zone has extended logging (15 fields) or not (12); either is taken where undefined
 * @returns the row; the line itself, marked, where the number of fields is wrong or an integer is none
 */
export function parseLine(text: string, extended?: boolean): LogFileRow | MalformedLine {
  const fields = text.split('|')
  const isExtended = fields.length === 15
  const [cacheStatus = '', statusCode = '', timestamp = '', bytesSent = '', pullZoneId = '', ...rest] = fields
  const [remoteIp, referer, url, edgeLocation, userAgent, requestId, countryCode, bodyBytes, range, authorization] =
    rest
  const isWhole = (isExtended || fields.length === 12) && isExtended === (extended ?? isExtended)
  const isNumeric =
    digits.test(statusCode) && digits.test(timestamp) && digits.test(bytesSent) && digits.test(pullZoneId)
  const hasBody = bodyBytes !== undefined && bodyBytes !== '-'
  if (!isWhole || !isNumeric || (hasBody && !digits.test(bodyBytes))) return { malformed: true, text }
  const row = {
    cacheStatus,
    statusCode: Number(statusCode),
    timestamp: Number(timestamp),
    bytesSent: toInteger(bytesSent),
    pullZoneId: toInteger(pullZoneId),
    remoteIp: present(remoteIp),
    referer: present(referer),
    url: present(url),
    edgeLocation: present(edgeLocation),
    userAgent: present(userAgent),
    requestId: present(requestId),
    countryCode: present(countryCode),
  }
  if (!isExtended) return row
  return {
    ...row,
    bodyBytesSent: hasBody ? toInteger(bodyBytes) : null,
    contentRange: present(range),
    authorizationHeader: present(authorization),
  }
}

function present(field: string | undefined): string | null {
  return field === undefined || field === '-' ? null : field
}
