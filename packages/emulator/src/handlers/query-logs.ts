import { createByteWriter } from '../http/byte-writer.ts'
import { toExact } from '../http/json.ts'
import { refuse } from '../http/refuse.ts'
import { createEntryFormat } from '../logs/entry.ts'
import { createFilters } from '../logs/filters.ts'
import { inOrder } from '../logs/ordered.ts'
import { formatTime } from '../logs/shown-time.ts'
import { readSpan } from '../logs/span.ts'
import type { Handler } from '../platform.ts'
import type { LogRow } from '../state/log-row.ts'
import { createZone } from '../state/state.ts'

/** The logs of a pull zone as JSON, filtered and in pages (§4.3; parameters and body from the supplement). */
const queryLogs: Handler = ({ operation, platform: { state, variants, random }, parameters, now }) => {
  const zoneId = String(parameters['pullZoneId'])
  const zone = state.zones.get(zoneId) ?? createZone(zoneId)
  const retention = operation.retentionMs ?? Number.POSITIVE_INFINITY
  const span = readSpan(text(parameters['from']), text(parameters['to']), now, retention, variants)
  const filters = createFilters(parameters, zone, variants)
  const problems = [...(typeof span === 'string' ? [span] : []), ...filters.problems]
  if (typeof span === 'string' || problems.length > 0)
    return refuse(operation, 400, { message: problems.join(' '), details: problems }, variants)

  const order = parameters['order'] === 'asc' ? 'asc' : 'desc'
  const offset = parameters['offset'] as bigint
  const limit = Math.min(
    Number(parameters['limit']),
    variants.pageCap === 'none' ? Number.POSITIVE_INFINITY : variants.pageCap,
  )
  const withShield = parameters['includeOriginShield'] === true
  const { stored } = filters
  const isShown = (row: LogRow) =>
    (row.visibleFrom ?? 0) <= now && (withShield || !row.originShield) && stored.every((test) => test(row))

  const range = state.logs.range(zoneId, span.from, span.to)
  const ties = variants.tieOrder === 'shuffled' ? random : undefined
  const rows = inOrder(range, { order, random: ties }, isShown)
  const { page, hasMore } = cutPage(rows, offset, limit)
  // country and search come after the page is cut, so that a page can be short or empty while there is more.
  const format = createEntryFormat(zone, variants)
  const data = page.filter((row) => filters.onPage.every((test) => test(row)))
  const rest = {
    pagination: { offset: toExact(offset), limit, returned: data.length, hasMore },
    query: {
      pullZoneId: toExact(zoneId),
      from: formatTime(span.from, variants),
      to: formatTime(span.to, variants),
      order,
    },
  }
  const body = createByteWriter()
  const isNull = data.length === 0 && variants.emptyPage === 'null'
  body.write(isNull ? '{"data":null' : '{"data":[')
  for (const [index, row] of data.entries()) body.write(index > 0 ? `,${format(row)}` : format(row))
  body.write(`${isNull ? '' : ']'},${JSON.stringify(rest).slice(1)}`)
  return { status: 200, headers: { 'content-type': 'application/json' }, body: body.bytes() }
}
export default queryLogs

function cutPage(rows: Iterable<LogRow>, offset: bigint, limit: number): { page: LogRow[]; hasMore: boolean } {
  const page: LogRow[] = []
  // No store holds 2^53 rows, so counting needs no bigint.
  let toSkip = Number(offset)
  for (const row of rows) {
    if (toSkip > 0) toSkip--
    else if (page.length === limit) return { page, hasMore: true }
    else page.push(row)
  }
  return { page, hasMore: false }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
