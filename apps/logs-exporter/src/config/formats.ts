import { parseDuration, parseSize } from './units.ts'

const second = 1_000
const hour = 3_600_000
/** The largest int64: ids of pull zones are int64 in the contract. */
const largestId = 2n ** 63n - 1n

/** The formats that the schema names, each a question to a text. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseDuration(text) !== undefined,
  window: isWindow,
  memory: (text) => (parseSize(text) ?? 0) >= 16e6,
  zone: (text) => /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= largestId,
  listen: (text) => parseListen(text) !== undefined,
  'base-url': isBaseUrl,
}

/**
 * Reads an address to listen on.
 *
 * @param text `127.0.0.1:9464`, `[::1]:9464`, `:9464` for all addresses; port 0 takes a free one
 * @returns undefined where it is none
 */
export function parseListen(text: string): { host: string; port: number } | undefined {
  const [, ipv6, name, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]*)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits ?? Number.NaN)
  return port <= 65_535 ? { host: ipv6 ?? (name || '::'), port } : undefined
}

/** Segments lie in folders of an hour and are named to the second, so windows neither cross the one nor split the other. */
function isWindow(text: string): boolean {
  const ms = parseDuration(text) ?? 0
  return ms >= second && ms % second === 0 && hour % ms === 0
}

/** Whether a text is an http or https URL without credentials, query or fragment. */
export function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return !(url.username || url.password || url.search || url.hash)
}
