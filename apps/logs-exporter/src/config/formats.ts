import { hourMs } from '@cdn/kit/time'
import { parseConfigDuration, parseSize } from './units.ts'

const second = 1_000
/** Maximum int64. Ids of pull zones are int64 in the contract. */
const maxId = 2n ** 63n - 1n

/** Checks for the formats that the schema names. */
export const schemaFormats: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseConfigDuration(text) !== undefined,
  window: isWindow,
  memory: (text) => (parseSize(text) ?? 0) >= 16e6,
  zone: isZoneId,
  listen: (text) => parseListen(text) !== undefined,
  'base-url': isBaseUrl,
}

/**
 * Parses an address to listen on.
 *
 * @param text `127.0.0.1:9464`, `[::1]:9464`, or `:9464` for all addresses. With port 0, the system selects a free port
 * @returns undefined if the text is not such an address
 */
export function parseListen(text: string): { host: string; port: number } | undefined {
  const [, ipv6, name, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]*)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  return port <= 65_535 ? { host: ipv6 ?? (name || '::'), port } : undefined
}

/** Whether a text is the id of a pull zone. */
export function isZoneId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= maxId
}

/** A window must be whole seconds (segment names have seconds) and divide an hour (folders hold an hour of segments). */
function isWindow(text: string): boolean {
  const ms = parseConfigDuration(text) ?? 0
  return ms >= second && ms % second === 0 && hourMs % ms === 0
}

/** Whether a text is an http or https URL without credentials, query or fragment. */
export function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return !(url.username || url.password || url.search || url.hash)
}
