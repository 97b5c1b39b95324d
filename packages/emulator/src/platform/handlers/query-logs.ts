import { assertDefined } from '@cdn/kit/assert-defined'
import { stringifyJson } from '@cdn/kit/json'
import { refuse } from '../../exchange/refuse.ts'
import type { Handler } from '../handler.ts'
import { createFilters } from '../logs/filters.ts'
import { createEntryFormat } from '../logs/format.ts'
import { createWindow, selectRows } from '../logs/selection.ts'
import { formatTime, readSpan } from '../logs/time.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createZone } from '../state/zones.ts'

/** Returns a filtered page of the logs of a pull zone as JSON (§4.3; the supplement states the parameters and the body). */
const queryLogs: Handler = async (request) => {
  const { operation, context, parameters, now } = request
  const { state, variants } = context
  const zoneId = String(parameters['pullZoneId'])
  const zone = createZone(zoneId, state.zones.get(zoneId))
  const retention = operation.retentionMs ?? Number.POSITIVE_INFINITY
  const span = readSpan(parameters, now, retention, variants)
  const filters = createFilters(parameters, zone, variants)
  const problems = [...(typeof span === 'string' ? [span] : []), ...filters.problems]
  if (typeof span === 'string' || problems.length > 0)
    return refuse(operation, 400, { message: problems.join(' '), details: problems }, variants)

  const order = parameters['order'] === 'asc' ? 'asc' : 'desc'
  // The conversion to a number is exact enough, because a store holds fewer than 2^53 rows.
  const offset = Number(parameters['offset'])
  const cap = variants.pageCap === 'none' ? Number.POSITIVE_INFINITY : variants.pageCap
  const limit = Math.min(Number(parameters['limit']), cap)
  const withShield = parameters['includeOriginShield'] === true
  const passes = (row: StoredLogRow) => filters.stored.every((test) => test(row))

  const format = createEntryFormat(zone, variants)
  const entries: string[] = []
  const page = createWindow(offset, offset + limit)
  for (const rows of selectRows(request, { ...span, zoneId, order, withShield, passes })) {
    // `country` and `search` are applied after the page is cut, so a page can be short or empty although more rows follow.
    entries.push(
      ...page
        .cut(rows)
        .filter((row) => filters.onPage.every((test) => test(row)))
        .map(format),
    )
    if (page.passed() > offset + limit) break
  }
  const hasMore = page.passed() > offset + limit
  const rest = {
    pagination: { offset: parameters['offset'], limit, returned: entries.length, hasMore },
    query: {
      pullZoneId: BigInt(zoneId),
      from: formatTime(span.from, variants),
      to: formatTime(span.to, variants),
      order,
    },
  }
  const data = entries.length === 0 && variants.emptyPage === 'null' ? 'null' : `[${entries.join(',')}]`
  const body = `{"data":${data},${assertDefined(stringifyJson(rest)).slice(1)}`
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body, compressible: variants.pageCoding === 'gzip' }
}
export default queryLogs
