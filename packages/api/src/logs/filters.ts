import type { LogFilters, LogRow } from './row.ts'

/** Fields that `search` examines (supplement). */
const searched = ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange']

/**
 * Applies `country` and `search` to a row that was read without them, in the same way as the platform. `country` is a list of
 * codes, separated by commas. `search` matches if any token occurs in any field. Case is ignored. The platform applies the other
 * filters itself.
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
