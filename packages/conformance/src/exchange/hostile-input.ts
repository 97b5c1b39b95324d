/** Input on which real servers fail, even if the contract states nothing about it. */

/** Texts for each place that takes any text: a path parameter, a query parameter, a string of a body. */
export const texts: Readonly<Record<string, string>> = {
  'U+0000': 'a\u0000b',
  'commas, not ASCII, beyond the BMP, quotes, percent signs': `,ä漢😀𝒳"'\`;--%s%00\\,`,
  'encoded slash and dots': '../a/..',
  '64 kB': 'x'.repeat(65_536),
}

/** Texts for strings of a body only: a URL cannot hold them. */
export const strings: Readonly<Record<string, string>> = { 'lone surrogate': '\ud800' }

/** Raw queries with an unusual form of a parameter. */
export const queries: Readonly<Record<string, (name: string) => string>> = {
  'empty and repeated': (name) => `${name}=&${name}=`,
  'invalid percent-encoding': (name) => `${name}=%zz%ff`,
}

/**
 * Keys of the `texts` that only the first query parameter of an operation with a rate limit gets. This saves requests, because a server
 * reads all parameters with the same code.
 */
export const oncePerOperation: readonly string[] = ['64 kB', 'encoded slash and dots']

/** Ids at the limits of number types. A signed 64-bit integer can hold each of them. */
export const ids: readonly bigint[] = [0n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 63n - 1n]

/** A UUID that no item has. */
export const unusedUuid = 'ffffffff-ffff-4fff-bfff-ffffffffffff'

/** Functions that return an id which a server takes for the given one if it drops the sign or the upper 32 bits. */
export const similarIds: readonly ((id: bigint) => bigint)[] = [(id) => -id, (id) => id + 2n ** 32n]

/** A text that no log entry has. */
export const noSuchText = 'no-such-text-7f3a'

/** Returns ids that a server takes for the given one if it drops the sign or upper bits; none for an id that is not a number. */
export function misreadIds(id: string): string[] {
  return /^\d+$/.test(id) ? [...similarIds, wrappingId].map((of) => `${of(BigInt(id))}`) : []
}

/** Returns an id beyond 64 bits whose lower 64 bits are those of the given id. */
export const wrappingId = (id: bigint): bigint => id + 2n ** 64n

/** Bodies that are not JSON, from a valid body. */
export const brokenJson: Readonly<Record<string, (valid: string) => string>> = {
  'cut off': (valid) => valid.slice(0, -1),
  'text after the body': (valid) => `${valid}x`,
}

/** Other spellings of the same JSON value. */
export const sameJson: Readonly<Record<string, (valid: string) => string>> = {
  'escaped characters': (valid) =>
    valid.replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
      text.replace(/\\u\w{4}|\\.|\w/g, (part) =>
        part.length > 1 ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    ),
  'white space': (valid) => ` \r\n\t${valid.replaceAll('":', '" :\n')}\n`,
}

/** Bodies that a server may accept or refuse, from a valid body. */
export const oddJson: Readonly<Record<string, (valid: string) => string>> = {
  'duplicate keys': (valid) => `{${valid.slice(1, -1)},${valid.slice(1)}`,
  'unknown field': (valid) => `${valid.slice(0, -1)},"Unknown":{"deep":[]}}`,
  'deep nesting': (valid) => `${valid.slice(0, -1)},"Unknown":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
}

/** Returns days that do not exist, as MM-DD-YY (supplement). A server that carries the overflow takes them for the given day. */
export function impossibleDays(day: Date): Readonly<Record<string, string>> {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()]
  const previous = new Date(Date.UTC(year, month - 1, 0))
  const form = (...parts: readonly number[]) => parts.map((part) => String(part % 100).padStart(2, '0')).join('-')
  return {
    'beyond its month': form(previous.getUTCMonth() + 1, date + previous.getUTCDate(), previous.getUTCFullYear()),
    'beyond its year': form(month + 12, date, year - 1),
  }
}

/** Other spellings of a path, which a server may route to the same operation without its check of the credentials. */
export const pathSpellings: Readonly<Record<string, (path: string) => string>> = {
  'a slash at the end': (path) => `${path}/`,
  'a doubled slash': (path) => `${path.slice(0, path.lastIndexOf('/'))}/${path.slice(path.lastIndexOf('/'))}`,
  'other letter case': (path) => path.replace(/[a-z]+/, (word) => word.toUpperCase()),
  'a percent-encoded letter': (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'a path parameter': (path) => `${path};x`,
}

/** Headers of clients that negotiate in another way than the suite. Each accepts the stated media type in some coding. */
export const negotiations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'any type': { Accept: '*/*' },
  'the types of a browser': { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
  'no coding': { 'Accept-Encoding': 'identity' },
  'no gzip': { 'Accept-Encoding': 'gzip;q=0, br;q=0, deflate;q=0' },
  'an unknown coding': { 'Accept-Encoding': 'x-unknown' },
}

/** Other media types than the contract states. The empty text leaves the header out. */
export const otherMediaTypes: Readonly<Record<string, string>> = {
  'other Content-Type': 'text/plain',
  'no Content-Type': '',
}

/** A safe method (RFC 4918 §9.1) that no operation of a contract has. */
export const unsupportedMethod = 'PROPFIND'
