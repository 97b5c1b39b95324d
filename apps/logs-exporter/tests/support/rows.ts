import type { StoredLogRow as LogRow } from '@cdn/emulator'

/** An ordinary row of the first zone of a simulation. @param timestamp ms since 1970 */
export function createRow(timestamp: number, fields: Partial<LogRow> = {}): LogRow {
  return {
    timestamp,
    pullZoneId: '10001',
    requestId: '0123456789abcdef0123456789abcdef',
    cacheStatus: 'HIT',
    statusCode: 200,
    bytesSent: 1,
    remoteIp: '198.51.100.23',
    countryCode: 'DE',
    userAgent: 'curl/8.14.1',
    referer: null,
    ja4Fingerprint: null,
    asn: 64496,
    asnOrganization: 'Example Networks GmbH',
    edgeLocation: 'DE',
    scheme: 'https',
    host: 'cdn.example',
    path: '/',
    bodyBytesSent: null,
    contentRange: null,
    authorizationHeader: null,
    originShield: false,
    ...fields,
  }
}
