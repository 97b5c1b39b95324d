import { defined } from '@cdn/kit/defined'
import { stringifyJson } from '@cdn/kit/json'
import type { EmulatorResponse } from '../../http/messages.ts'
import { refuse } from '../../http/refuse.ts'
import type { Handler } from '../handler.ts'
import { createEntryFormat } from '../logs/entry.ts'
import { createFilters } from '../logs/filters.ts'
import { inOrder } from '../logs/ordered.ts'
import { formatTime } from '../logs/shown-time.ts'
import { readSpan } from '../logs/span.ts'
import { createPace, rowsPerCheck, type WorkPace } from '../pace.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import { createZone } from '../state/zones.ts'
import { createRandom } from '../traffic/random.ts'

/** Returns a filtered page of the logs of a pull zone as JSON (§4.3; the supplement states the parameters and the body). */
const queryLogs: Handler = async ({ operation, context: { state, variants, random }, parameters, now }) => {
  const zoneId = String(parameters['pullZoneId'])
  const zone = state.zones.get(zoneId) ?? createZone(zoneId)
  const retention = operation.retentionMs ?? Number.POSITIVE_INFINITY
  const span = readSpan({ from: text(parameters['from']), to: text(parameters['to']), now, retention }, variants)
  const filters = createFilters(parameters, zone, variants)
  const problems = [...(typeof span === 'string' ? [span] : []), ...filters.problems]
  if (typeof span === 'string' || problems.length > 0)
    return refuse(operation, 400, { message: problems.join(' '), details: problems }, variants)

  const order = parameters['order'] === 'asc' ? 'asc' : 'desc'
  const { offset } = parameters
  const limit = Math.min(
    Number(parameters['limit']),
    variants.pageCap === 'none' ? Number.POSITIVE_INFINITY : variants.pageCap,
  )
  const withShield = parameters['includeOriginShield'] === true
  const passes = (row: StoredLogRow) =>
    (row.visibleFrom ?? 0) <= now && (withShield || !row.originShield) && filters.stored.every((test) => test(row))

  // Other requests are served while this page is read. A separate random source keeps the page independent of them.
  const shuffle = variants.tieOrder === 'shuffled' ? createRandom(random.hex(8)) : undefined
  const pace = createPace()
  const rows = inOrder(state.logs.range(zoneId, span.from, span.to, order), shuffle, passes)
  // The conversion to a number is exact enough, because a store holds fewer than 2^53 rows.
  const { page, hasMore } = await cutPage(rows, Number(offset), limit, pace)
  // `country` and `search` are applied after the page is cut, so a page can be short or empty although more rows follow.
  const data = page.filter((row) => filters.onPage.every((test) => test(row)))
  const rest = {
    pagination: { offset, limit, returned: data.length, hasMore },
    query: {
      pullZoneId: BigInt(zoneId),
      from: formatTime(span.from, variants),
      to: formatTime(span.to, variants),
      order,
    },
  }
  const isNull = data.length === 0 && variants.emptyPage === 'null'
  const body = createByteWriter()
  body.write(isNull ? '{"data":null' : '{"data":[')
  await writeEntries(body, data, createEntryFormat(zone, variants), pace)
  body.write(`${isNull ? '' : ']'},${defined(stringifyJson(rest)).slice(1)}`)
  return page200(body.bytes(), variants.pageCoding === 'gzip')
}
export default queryLogs

function page200(body: Uint8Array<ArrayBuffer>, compressible: boolean): EmulatorResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body, ...(compressible && { compressible }) }
}

async function cutPage(
  rows: Iterable<StoredLogRow | undefined>,
  toSkip: number,
  limit: number,
  pace: WorkPace,
): Promise<{ page: StoredLogRow[]; hasMore: boolean }> {
  const page: StoredLogRow[] = []
  let skipped = 0
  let checked = 0
  for (const row of rows) {
    if ((row === undefined || ++checked % rowsPerCheck === 0) && pace.isDue()) await pace.rest()
    if (row === undefined) continue
    if (skipped < toSkip) skipped++
    else if (page.length === limit) return { page, hasMore: true }
    else page.push(row)
  }
  return { page, hasMore: false }
}

async function writeEntries(
  body: ByteWriter,
  rows: readonly StoredLogRow[],
  format: (row: StoredLogRow) => string,
  pace: WorkPace,
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    body.write(index > 0 ? `,${format(row)}` : format(row))
    if (index % rowsPerCheck === 0 && pace.isDue()) await pace.rest()
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Collects text as UTF-8. A page of several megabytes is then neither copied nor encoded a second time. */
interface ByteWriter {
  write(text: string): void
  /** Returns everything that was written so far. */
  bytes(): Uint8Array<ArrayBuffer>
}

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const maxBytesPerUnit = 3

function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(65_536)
  let length = 0
  return {
    write(text) {
      const needed = length + text.length * maxBytesPerUnit
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      length += buffer.write(text, length)
    },
    bytes: () => buffer.subarray(0, length),
  }
}
