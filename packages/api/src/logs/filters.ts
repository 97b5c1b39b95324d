import type { LogFilters, LogRow } from './row.ts'

/** Where `search` looks (supplement). */
const searched = ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange']

/**
 * Applies `country` (comma-separated codes) and `search` (any token in any field) as the platform does, in any case, to a
 * row that was read without them; the other filters are left to the platform.
 */
export function isWanted(row: LogRow, { country = '', search = '' }: LogFilters): boolean {
  const holds = (name: string, token: string) =>
    String(row[name] ?? '')
      .toLowerCase()
      .includes(token)
  const codes = country.toLowerCase().split(/[\s,]+/)
  const tokens = search.toLowerCase().split(' ').filter(Boolean)
  return (
    (!country || codes.includes(String(row.countryCode).toLowerCase())) &&
    (tokens.length === 0 || tokens.some((token) => searched.some((name) => holds(name, token))))
  )
}
