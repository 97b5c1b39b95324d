/** Kinds of rows: usual texts; texts with characters that JSON escapes or that need several bytes; rows of 4.6 kB. */
export type RowKind = 'usual' | 'hostile' | 'long'

const agents: Readonly<Record<RowKind, string>> = {
  usual: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0',
  hostile: 'Mozilla/5.0 "quoted" \\back\\slash\u0001\t<script>\u{1f600} äöü日本 (KHTML, like Gecko)',
  long: `${'x'.repeat(4000)}Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)`,
}

/** Returns a row of version 2 as JSON; a usual row has about 650 bytes. @param at time of the row in ms since 1970 */
export function rowAt(at: number, kind: RowKind): string {
  const url = `/assets/${at % 5000}/photo-large.jpg?v=${at}${kind === 'hostile' ? '&q="é\\"' : ''}`
  return JSON.stringify({
    timestamp: new Date(at).toISOString(),
    pullZoneId: 1,
    requestId: at.toString(16).padStart(32, '0'),
    cacheStatus: 'HIT',
    statusCode: 200,
    bytesSent: at,
    remoteIp: '192.0.2.0',
    countryCode: 'DE',
    userAgent: agents[kind],
    referer: 'https://www.example.com/page',
    ja4Fingerprint: 't13d1516h2_8daaf6152771_02713d6af862',
    asn: 64500,
    asnOrganization: 'Example Network',
    edgeLocation: 'DE',
    scheme: 'https',
    host: 'cdn.example.net',
    path: url,
    url: `https://cdn.example.net${url}`,
  })
}
