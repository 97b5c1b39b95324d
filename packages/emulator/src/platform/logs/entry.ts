import { defined } from '@cdn/kit/defined'
import { stringifyJson, toInteger } from '@cdn/kit/json'
import type { Variants } from '../../variants/variants.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import type { PullZone } from '../state/zones.ts'
import { showAddress } from './address.ts'
import { formatTime, shownTime } from './time.ts'

/**
 * Creates a function that writes a row as a JSON entry of v2, with all fields of the supplement. The last three fields appear
 * only with extended logging.
 */
export function createEntryFormat(zone: PullZone, variants: Variants): (row: StoredLogRow) => string {
  const absent = variants.nullFields === 'omitted' ? undefined : null
  return (row) => {
    const entry = {
      timestamp: formatTime(shownTime(row.timestamp, variants), variants),
      pullZoneId: toInteger(row.pullZoneId),
      requestId: row.requestId,
      cacheStatus: row.cacheStatus,
      statusCode: row.statusCode,
      bytesSent: row.bytesSent,
      edgeLocation: row.edgeLocation,
      scheme: row.scheme,
      host: row.host,
      path: row.path,
      url: urlOf(row),
      remoteIp: row.remoteIp === null ? absent : showAddress(row.remoteIp, zone.addresses),
      countryCode: row.countryCode ?? absent,
      userAgent: row.userAgent ?? absent,
      referer: row.referer ?? absent,
      ja4Fingerprint: row.ja4Fingerprint ?? absent,
      asn: row.asn ?? absent,
      asnOrganization: row.asnOrganization ?? absent,
    }
    const { bodyBytesSent, contentRange, authorizationHeader } = row
    const extended = {
      bodyBytesSent: bodyBytesSent ?? absent,
      contentRange: contentRange ?? absent,
      authorizationHeader: authorizationHeader ?? absent,
    }
    return defined(stringifyJson(zone.extendedLogging ? { ...entry, ...extended } : entry))
  }
}

/** Returns the requested URL, with the query string. */
export function urlOf(row: StoredLogRow): string {
  return `${row.scheme}://${row.host}${row.path}`
}
