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

/** Number of fields of a plain line, and of a line with extended logging. */
const [plainLength, extendedLength] = [12, 15]
/** 32 hexadecimal digits (supplement), 36 with hyphens, or empty if absent. */
const isRequestId = /^(?:[\da-f]{32}|[\da-f-]{36}|)$/i
/** A country code of two letters or digits, or empty if absent. Some databases have codes with a digit. */
const isCountry = /^(?:[a-z\d]{2}|)$/i

/**
 * Parses a line of version 1 (supplement: `x-line`). Lines have no escapes, because the server strips pipes from user text. A pipe
 * that it leaves shifts the fields after it. The number of fields, the request id or the country reveals that.
 *
 * @param text a line without its end
 * @returns a MalformedLine if the number of fields is neither 12 nor 15 (extended logging), or if an integer, the request id or the
 *   country is invalid
 */
export function parseLine(text: string): LogFileRow | MalformedLine {
  const fields = text.split('|')
  const [cacheStatus = '', status, time, bytes, zone, ...others] = fields
  const [statusCode, timestamp] = [integer(status), integer(time)]
  const [bytesSent, pullZoneId] = [integer(bytes), integer(zone)]
  const [remoteIp, referer, url, edgeLocation, userAgent, requestId, countryCode] = others.map(absentAsNull)
  const isExtended = fields.length === extendedLength
  if (!isExtended && fields.length !== plainLength) return { malformed: true, text }
  if (statusCode === undefined || timestamp === undefined) return { malformed: true, text }
  if (bytesSent === undefined || pullZoneId === undefined) return { malformed: true, text }
  if (!isRequestId.test(requestId ?? '') || !isCountry.test(countryCode ?? '')) return { malformed: true, text }
  const row = {
    cacheStatus,
    statusCode: Number(statusCode),
    timestamp: Number(timestamp),
    bytesSent,
    pullZoneId,
    ...{ remoteIp, referer, url, edgeLocation, userAgent, requestId, countryCode },
  } as LogFileRow // the number of fields is right, so none is undefined
  if (!isExtended) return row
  const [bodyBytes, contentRange, authorizationHeader] = others.slice(plainLength - extendedLength).map(absentAsNull)
  const bodyBytesSent = bodyBytes === null ? null : integer(bodyBytes)
  if (bodyBytesSent === undefined) return { malformed: true, text }
  return { ...row, bodyBytesSent, contentRange, authorizationHeader } as LogFileRow // as above
}

function absentAsNull(text: string): string | null {
  return text === '-' ? null : text
}

/** An integer of up to 20 digits; undefined for another text. */
function integer(text: string | undefined): number | bigint | undefined {
  return text !== undefined && /^\d{1,20}$/.test(text) ? toInteger(text) : undefined
}
