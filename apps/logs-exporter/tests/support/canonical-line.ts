import fc from 'fast-check'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '-',
    '\u{FEFF}x',
    'a\u0000b',
    '"\\\n\r\t',
    '\u{1F600}|',
    '\uD7FF\uE000\u{10FFFF}',
    '=1+1',
    '/a?b=c?d',
    '?',
    '\u001b[31m',
  ),
)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })

/** Canonical lines, built from a fixed list of the contract's fields. Some have additional fields. */
export const canonicalLine: fc.Arbitrary<string> = fc
  .tuple(
    fc.integer({ min: 1_781_000_000_000, max: 1_781_400_000_000 }),
    fc.constant(4711n),
    ...[nullable(text), nullable(text), int32, int64],
    ...[nullable(text), nullable(text), nullable(text), nullable(text), nullable(text), nullable(int32)],
    ...[nullable(text), nullable(text), nullable(text), nullable(text), nullable(text), nullable(text)],
    ...[nullable(int64), nullable(text), nullable(text)],
    fc.option(
      fc.dictionary(
        fc.string({ maxLength: 5 }).map((name) => `x-${name}`),
        fc.jsonValue(),
        { minKeys: 1 },
      ),
      { freq: 4 },
    ),
    fc.constant('v2'),
  )
  .map(([time, zone, requestId, cacheStatus, statusCode, bytesSent, remoteIp, ...rest]) => {
    const [countryCode, userAgent, referer, ja4Fingerprint, asn, asnOrganization, edgeLocation, scheme, ...more] = rest
    const [host, path, url, bodyBytesSent, contentRange, authorizationHeader, unknown, source] = more
    const entry = {
      timestamp: new Date(time).toISOString(),
      pullZoneId: zone,
      requestId,
      cacheStatus,
      statusCode,
      bytesSent,
    }
    const visitor = { remoteIp, countryCode, userAgent, referer, ja4Fingerprint, asn, asnOrganization, edgeLocation }
    const request = { scheme, host, path, url, bodyBytesSent, contentRange, authorizationHeader }
    const fields = Object.entries({ ...entry, ...visitor, ...request }).filter(([, value]) => value !== null)
    const all = [...fields, ...Object.entries(unknown ?? {}), ['source', source]] as const
    return `{${all.map(([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`).join()}}\n`
  })
