import { plainUrl } from '@cdn/kit/http-url'
import { hourMs, unitMs } from '@cdn/kit/time'

/**
 * Parses a duration with its unit.
 *
 * @param text a number, optionally with a fraction, followed by `ms`, `s`, `m`, `h` or `d`: `5m`, `1.5h`
 * @returns milliseconds, 0 or more; undefined if the text is not a duration of whole milliseconds
 */
export function parseConfigDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|[smhd])$/.exec(text) ?? []
  if (!unit) return undefined
  const factor = unitMs[unit as keyof typeof unitMs] // safe: the expression lists them
  const ms = Math.round(Number(number) * factor * 1e6) / 1e6
  return Number.isInteger(ms) ? ms : undefined
}

/** Formats a duration in the largest unit, up to hours, that needs no fraction: `5m`, `70h`. @param ms whole milliseconds, 0 or more */
export function formatDuration(ms: number): string {
  for (const unit of ['h', 'm', 's'] as const)
    if (ms > 0 && ms % unitMs[unit] === 0) return `${ms / unitMs[unit]}${unit}`
  return `${ms}ms`
}

const second = 1_000
/** Maximum int64. Ids of pull zones are int64 in the contract. */
const maxId = 2n ** 63n - 1n

/** Checks for the formats that the schema names. */
export const schemaFormats: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseConfigDuration(text) !== undefined,
  window: isWindow,
  zone: isZoneId,
  listen: (text) => parseListen(text) !== undefined,
  'base-url': (text) => plainUrl(text) !== undefined,
  container: (text) => /^\/(?:[^/]+\/)?[^/]+$/.test(plainUrl(text)?.pathname ?? ''),
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

export function isZoneId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= maxId
}

/** A window must be whole seconds (segment names have seconds) and divide an hour (folders hold an hour of segments). */
function isWindow(text: string): boolean {
  const ms = parseConfigDuration(text) ?? 0
  return ms >= second && ms % second === 0 && hourMs % ms === 0
}
