import type { Ask, Walk } from './ask.ts'
import { readMillisecond } from './millisecond.ts'
import { type Batch, countIn, cut, type LogRow } from './row.ts'

/**
 * Reads a range whose filters are applied after the page is fetched (`country`, `search`). Such a page may be short or
 * empty while more follows, so its last row says nothing; the range is halved until an answer holds all of its part.
 * A single millisecond beyond a page is read without these filters, and they are applied here.
 *
 * @returns whole milliseconds, in order, each row once
 * @throws what `ask` rejects with
 */
export async function* walkByHalves(ask: Ask, walk: Walk): AsyncGenerator<Batch, void, void> {
  const open = [{ from: walk.from, to: walk.to, atLeast: 0 }]
  for (let part = open.pop(); part; part = open.pop()) {
    const { from, to, atLeast } = part
    const page = await ask(from, to, {
      check: (candidate) =>
        !candidate.hasMore && countIn(candidate, from, to) < atLeast
          ? 'rows that were there before are missing'
          : undefined,
    })
    if (!page.hasMore) {
      yield cut(page, from, to)
    } else if (to - from === 1) {
      const { rows } = await readMillisecond(ask, walk, from, atLeast)
      const kept = rows.filter((row) => isFromCountry(row, walk.filters.country) && isFound(row, walk.filters.search))
      yield cut({ rows: kept, times: kept.map(() => from) }, from, to)
    } else {
      const middle = from + Math.floor((to - from) / 2)
      open.push({ from: middle, to, atLeast: countIn(page, middle, to) })
      open.push({ from, to: middle, atLeast: countIn(page, from, middle) })
    }
  }
}

/** `country`: comma-separated codes. */
function isFromCountry(row: LogRow, country: string | undefined): boolean {
  if (!country) return true
  const codes = country.split(',').map((code) => code.trim().toUpperCase())
  return codes.includes(row.countryCode?.toUpperCase() ?? '')
}

/** `search`: any token in any of these fields (supplement); in any case, as the other text filters compare. */
function isFound(row: LogRow, search: string | undefined): boolean {
  const tokens = (search ?? '').toLowerCase().split(' ').filter(Boolean)
  const { cacheStatus, requestId, edgeLocation, host, path, userAgent, referer, contentRange } = row
  const fields = [cacheStatus, requestId, edgeLocation, host, path, userAgent, referer, contentRange]
  return tokens.length === 0 || tokens.some((token) => fields.some((field) => field?.toLowerCase().includes(token)))
}
