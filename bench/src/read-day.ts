import { Agent } from 'node:http'
import { parseArgs } from 'node:util'
import { defined } from '@cdn/kit/defined'
import { readAll, readPage } from './read-page.ts'
import { digits } from './row.ts'
import { startSubject } from './subjects/child.ts'

/**
 * `node bench/src/read-day.ts [--zones N] [--rows-per-second N] [--hours N]`: reads all rows of a day of virtual time once through
 * v2, including late rows. The clock moves meanwhile, and the reader obeys the rate limit. The program compares the time with the
 * time of reading as many rows in full pages. It takes minutes, so `pnpm bench` does not include it.
 */
const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '100' },
    'rows-per-second': { type: 'string', default: '10' },
    hours: { type: 'string', default: '24' },
  },
})
const zones = Number(values.zones)
const rowsPerSecond = Number(values['rows-per-second'])
const minute = 60_000
const rangeMs = Number(values.hours) * 60 * minute

/** Length of a window: whole minutes, so that its number of rows is known. It fills at most nine tenths of the maximum page. */
const windowMs = Math.max(1, Math.floor(9_000 / rowsPerSecond / 60)) * minute
const rowsPerWindow = (windowMs * rowsPerSecond) / 1000
/** How far the reader stays behind the clock. Late rows become visible within one minute, so the reader finds all of them. */
const trailMs = 2 * minute
const connections = 1

const start = '2026-06-17T00:00:00.000Z'
const traffic = { zones, rowsPerSecond, lateShare: 0.05, maxLatenessMs: minute }
const subject = await startSubject('emulator-server', { start, traffic })
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const zoneIds = Array.from({ length: zones }, (_, index) => String(10_001 + index))

/** Measures rows per second in pages of 10,000, in sequence on one connection, like `pnpm bench pages`. */
async function pageRate(): Promise<number> {
  const now = await subject.ask<number>({ advance: 0 })
  const load = readAll(subject, { now, rowsPerSecond, zoneIds })
  await load(1_000)
  const begun = performance.now()
  return ((await load(5_000)) * 1000) / (performance.now() - begun)
}

async function readWindow(zoneId: string, from: number): Promise<number> {
  let rows = 0
  for (let offset = 0, hasMore = true; hasMore; offset += 10_000) {
    const query = new URLSearchParams({
      from: new Date(from).toISOString(),
      to: new Date(from + windowMs).toISOString(),
      includeOriginShield: 'true',
      order: 'asc',
      limit: '10000',
      offset: String(offset),
    })
    const url = new URL(`v2/pullzones/${zoneId}/logs?${query}`, subject.loggingUrl)
    const page = await readPage(url, subject.accessKey, agent, zoneId === zoneIds[0] ? noteIds : undefined)
    rows += page.returned
    hasMore = page.hasMore
  }
  if (rows !== rowsPerWindow)
    throw new Error(`Zone ${zoneId} returned ${rows} rows instead of ${rowsPerWindow} from ${from}`)
  return rows
}

/** Request ids of the first zone. The number of rows alone would not reveal a duplicate in place of a missing row. */
const ids = new Set<string>()
function noteIds(body: Buffer): void {
  for (const [, id] of body.toString().matchAll(/"requestId":"([\da-f]{32})"/g)) ids.add(defined(id))
}

const before = await pageRate()
const first = Date.parse(start)
let rows = 0
let now = await subject.ask<number>({ advance: trailMs })
const rangeStart = now - trailMs
const begun = performance.now()
for (let from = rangeStart; from < rangeStart + rangeMs; from += windowMs) {
  now = await subject.ask<number>({ advance: windowMs })
  const queue = [...zoneIds]
  const workers = Array.from({ length: connections }, async () => {
    for (let zoneId = queue.shift(); zoneId !== undefined; zoneId = queue.shift()) {
      const count = await readWindow(zoneId, from)
      rows += count
    }
  })
  await Promise.all(workers)
}
const seconds = (performance.now() - begun) / 1000
const after = await pageRate()
const peak = await subject.ask<number>({ peak: true })
await subject.stop()

if (ids.size !== rows / zones) throw new Error(`The first zone returned ${ids.size} ids for ${rows / zones} rows`)
const rate = (before + after) / 2
console.log(`${values.hours} h of ${zones} zones at ${rowsPerSecond} rows/s, from ${new Date(first).toISOString()}
${rows.toLocaleString('en')} rows, each once, in ${digits(seconds)} s: ${digits(rows / seconds)} rows/s on ${connections} connections
full pages on one connection: ${digits(before)} rows/s before, ${digits(after)} rows/s after; the same number of rows ${digits(rows / rate)} s
difference: ${digits(seconds - rows / rate)} s (bound: under 60 s)
peak of the server's resident memory: ${digits(peak / 2 ** 20)} MiB`)
