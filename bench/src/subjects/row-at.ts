const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0'

/** Returns a row of version 2 as JSON, about 650 bytes. */
export function rowAt(at: number): string {
  const url = `/assets/${at % 5000}/photo-large.jpg?v=${at}`
  return JSON.stringify({
    timestamp: new Date(at).toISOString(),
    pullZoneId: 1,
    requestId: at.toString(16).padStart(32, '0'),
    cacheStatus: 'HIT',
    statusCode: 200,
    bytesSent: at,
    remoteIp: '192.0.2.0',
    countryCode: 'DE',
    userAgent: agent,
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
