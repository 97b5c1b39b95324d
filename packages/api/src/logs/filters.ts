import type { LogFilters, LogRow } from './row.ts'

/** Fields that `search` examines (supplement). */
const searched = ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange']

/**
 * Applies `country` (comma-separated codes) and `search` (any token in any field) like the platform, case-insensitively, to a row
 * that was read without them. The platform applies the other filters.
 */
export function matchesFilters(row: LogRow, { country = '', search = '' }: LogFilters): boolean {
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
