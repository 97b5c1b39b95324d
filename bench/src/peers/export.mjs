// A script that a user would write instead of the exporter: it reads zones with version 2, and writes one `.ndjson.zst` file per zone.
// node export.mjs URL FOLDER ZONES FROM TO (times in ms)
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createZstdCompress } from 'node:zlib'

const [url, folder, zones, from, to] = process.argv.slice(2)
const limit = 10_000
const attempts = 5

async function readPage(zone, start, offset) {
  const range = { from: new Date(start).toISOString(), to: new Date(Number(to)).toISOString() }
  const query = new URLSearchParams({ ...range, limit, offset, order: 'asc' })
  for (let attempt = 1; ; attempt++) {
    try {
      const headers = { AccessKey: process.env.CDN_ACCESS_KEY }
      const response = await fetch(`${url}/v2/pullzones/${zone}/logs?${query}`, { headers })
      if (response.ok) return await response.json()
      throw new Error(`status ${response.status}`)
    } catch (error) {
      if (attempt === attempts) throw error
      await sleep(1000 * attempt)
    }
  }
}

async function exportZone(zone) {
  const file = createWriteStream(join(folder, `${zone}.ndjson.zst`))
  const zstd = createZstdCompress()
  zstd.pipe(file)
  let rows = 0
  for (let offset = 0; ; offset += limit) {
    const { data, pagination } = await readPage(zone, Number(from), offset)
    let lines = ''
    for (const row of data ?? []) lines += `${JSON.stringify(row)}\n`
    rows += data?.length ?? 0
    if (!zstd.write(lines)) await once(zstd, 'drain')
    if (!pagination.hasMore) break
  }
  zstd.end()
  await finished(file)
  return rows
}

const counts = await Promise.all(zones.split(',').map(exportZone))
console.log(counts.reduce((sum, count) => sum + count, 0))
