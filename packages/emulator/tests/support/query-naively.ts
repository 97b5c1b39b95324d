import { dayMs } from '@cdn/kit/time'
import type { StoredLogRow } from '../../src/platform/state/log-row.ts'

/** The parameters of a v2 query. */
export interface V2Query {
  from?: string
  to?: string
  status?: string
  cacheStatus?: string
  country?: string
  edgeLocation?: string
  remoteIp?: string
  urlContains?: string
  userAgentContains?: string
  refererContains?: string
  search?: string
  requestId?: string
  includeOriginShield?: boolean
  limit?: number
  offset?: number
  order?: 'asc' | 'desc'
}

/** The rows of a page, as stored. */
export interface V2Page {
  readonly rows: StoredLogRow[]
  readonly hasMore: boolean
}

const has = (text: string | null, part: string) =>
  text !== null && text.toLowerCase().indexOf(part.toLowerCase()) !== -1

/**
 * Computes the expected page of v2 by the rules of the supplement: it filters an array, sorts it, slices it, and filters the
 * slice. It shares no code with the implementation. It supports only whole addresses and stable ties.
 */
export function queryNaively(all: readonly StoredLogRow[], query: V2Query, now: number): V2Page {
  const to = query.to === undefined ? now : new Date(query.to).getTime()
  const from = query.from === undefined ? to - dayMs : new Date(query.from).getTime()
  let rows = all.filter((row) => row.timestamp >= from && row.timestamp < to)
  rows = rows.filter((row) => row.visibleFrom === undefined || row.visibleFrom <= now)
  if (!query.includeOriginShield) rows = rows.filter((row) => !row.originShield)
  if (query.status) {
    const statuses = query.status.split(',')
    rows = rows.filter(
      (row) => statuses.includes(`${row.statusCode}`) || statuses.includes(`${`${row.statusCode}`[0]}xx`),
    )
  }
  if (query.cacheStatus) {
    const statuses = query.cacheStatus.split(',')
    rows = rows.filter((row) => statuses.includes(row.cacheStatus))
  }
  if (query.edgeLocation) rows = rows.filter((row) => row.edgeLocation === query.edgeLocation)
  if (query.remoteIp) rows = rows.filter((row) => row.remoteIp === query.remoteIp)
  if (query.requestId) {
    const id = query.requestId.split('-').join('')
    rows = rows.filter((row) => row.requestId === id)
  }
  const { urlContains, userAgentContains, refererContains } = query
  if (urlContains) rows = rows.filter((row) => has(`${row.host}${row.path}`, urlContains))
  if (userAgentContains) rows = rows.filter((row) => has(row.userAgent, userAgentContains))
  if (refererContains) rows = rows.filter((row) => has(row.referer, refererContains))

  rows = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => a.row.timestamp - b.row.timestamp || a.index - b.index)
    .map(({ row }) => row)
  if (query.order !== 'asc') rows.reverse()
  const offset = query.offset ?? 0
  const limit = query.limit ?? 100
  const hasMore = rows.length > offset + limit
  rows = rows.slice(offset, offset + limit)

  if (query.country) {
    const countries = query.country.split(',')
    rows = rows.filter((row) => row.countryCode !== null && countries.includes(row.countryCode))
  }
  if (query.search) {
    const tokens = query.search.split(' ').filter((token) => token !== '')
    rows = rows.filter(
      (row) =>
        tokens.length === 0 ||
        tokens.some((token) =>
          [
            row.cacheStatus,
            row.requestId,
            row.edgeLocation,
            row.host,
            row.path,
            row.userAgent,
            row.referer,
            row.contentRange,
          ].some((text) => has(text, token)),
        ),
    )
  }
  return { rows, hasMore }
}
