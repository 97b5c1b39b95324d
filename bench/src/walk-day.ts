import { Agent } from 'node:http'
import { parseArgs } from 'node:util'
import { readAll, readPage } from './read-page.ts'
import { digits } from './row.ts'
import { startSubject } from './subjects/child.ts'

/**
 * `node bench/src/walk-day.ts [--zones N] [--rows-per-second N] [--hours N]`: a day of virtual time, whose rows are all
 * read once through v2 while the clock moves, late ones included, within the rate limit; and how long that took beside
 * what as many rows cost in full pages. Minutes long, so `pnpm bench` leaves it out.
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
const walkMs = Number(values.hours) * 60 * minute

/** A window fills nine tenths of the largest page, in whole minutes: then its number of rows is known. */
const windowMs = Math.max(1, Math.floor(9_000 / rowsPerSecond / 60)) * minute
const rowsPerWindow = (windowMs * rowsPerSecond) / 1000
/** Rows become visible within a minute; the walk trails the clock by more. */
const trailMs = 2 * minute
const connections = 1

const start = '2026-06-17T00:00:00.000Z'
const traffic = { zones, rowsPerSecond, lateShare: 0.05, maxLatenessMs: minute }
const subject = await startSubject('emulator-server', { start, traffic })
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const zoneIds = Array.from({ length: zones }, (_, index) => String(10_001 + index))

/** Rows a second in pages of 10,000, one after the other on one connection, as `pnpm bench pages` measures it. */
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
    throw new Error(`Zone ${zoneId} gave ${rows} rows instead of ${rowsPerWindow} from ${from}`)
  return rows
}

/** Ids of the first zone: that as many rows were read as there are could hide one that came twice for one that did not. */
const ids = new Set<string>()
function noteIds(body: Buffer): void {
  for (const [, id] of body.toString().matchAll(/"requestId":"([\da-f]{32})"/g)) ids.add(id ?? '')
}

const before = await pageRate()
const first = Date.parse(start)
let rows = 0
let now = await subject.ask<number>({ advance: trailMs })
const startOfWalk = now - trailMs
const begun = performance.now()
for (let from = startOfWalk; from < startOfWalk + walkMs; from += windowMs) {
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

if (ids.size !== rows / zones) throw new Error(`The first zone gave ${ids.size} ids for ${rows / zones} rows`)
const rate = (before + after) / 2
console.log(`${values.hours} h of ${zones} zones at ${rowsPerSecond} rows/s, from ${new Date(first).toISOString()}
${rows.toLocaleString('en')} rows, each once, in ${digits(seconds)} s: ${digits(rows / seconds)} rows/s on ${connections} connections
full pages on one connection: ${digits(before)} rows/s before, ${digits(after)} rows/s after; as many rows ${digits(rows / rate)} s
beside that: ${digits(seconds - rows / rate)} s (wanted: under 60 s)
peak of the server's resident memory: ${digits(peak / 2 ** 20)} MiB`)
