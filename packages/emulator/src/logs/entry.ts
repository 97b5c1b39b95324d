import { toExact } from '../http/json.ts'
import type { LogRow } from '../state/log-row.ts'
import type { Zone } from '../state/state.ts'
import type { Variants } from '../variants.ts'
import { showAddress } from './address.ts'
import { formatTime, shownTime } from './shown-time.ts'

/**
 * A row as an entry of v2: all fields of the supplement, the last three with extended logging only.
 *
 * @returns a value for `JSON.stringify`
 */
export function toEntry(row: LogRow, zone: Zone, variants: Variants): Readonly<Record<string, unknown>> {
  const optional: Record<string, unknown> = {
    remoteIp: row.remoteIp === null ? null : showAddress(row.remoteIp, zone.addresses),
    countryCode: row.countryCode,
    userAgent: row.userAgent,
    referer: row.referer,
    ja4Fingerprint: row.ja4Fingerprint,
    asn: row.asn,
    asnOrganization: row.asnOrganization,
    ...(zone.extendedLogging && {
      bodyBytesSent: toExact(row.bodyBytesSent),
      contentRange: row.contentRange,
      authorizationHeader: row.authorizationHeader,
    }),
  }
  if (variants.nullFields === 'omitted') {
    for (const name of Object.keys(optional)) if (optional[name] === null) delete optional[name]
  }
  return {
    timestamp: formatTime(shownTime(row.timestamp, variants), variants),
    pullZoneId: toExact(row.pullZoneId),
    requestId: row.requestId,
    cacheStatus: row.cacheStatus,
    statusCode: row.statusCode,
    bytesSent: toExact(row.bytesSent),
    edgeLocation: row.edgeLocation,
    scheme: row.scheme,
    host: row.host,
    path: row.path,
    url: urlOf(row),
    ...optional,
  }
}

/** The address that was asked for, with the query string. */
export function urlOf(row: LogRow): string {
  return `${row.scheme}://${row.host}${row.path}`
}
