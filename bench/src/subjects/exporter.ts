import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { constants, zstdCompressSync } from 'node:zlib'
import { createFormat } from '@cdn/logs-exporter/src/formats/index.ts'
import { createApiReader } from '@cdn/logs-exporter/src/reader/api-reader.ts'
import { createEncoder } from '@cdn/logs-exporter/src/rows/encoder.ts'
import { peakMemory } from '../peak-memory.ts'
import type { Ready } from './child.ts'
import { rowAt } from './row-at.ts'

/** A task for this process. */
export type Task =
  /** Reads rows of all zones concurrently, from `from` on, and writes one NDJSON.zst file per zone. */
  | {
      readonly url: string
      readonly zones: number
      readonly from: number
      readonly rows: number
    }
  /** Runs JSON.parse, JSON.stringify and zstd on pages in memory, on one thread. */
  | { readonly floor: number; readonly from: number }

/** The result of a task. */
export interface Done {
  readonly rows: number
  readonly ms: number
  /** Peak resident memory so far, in bytes. */
  readonly peak: number
}

const privacy = { authorizationHeader: 'drop', queryTokens: 'keep', addresses: 'keep', tokenNames: [] } as const
const { signal } = new AbortController()
/** A clock that runs so fast that the rate limit of 30 requests in 10 s has no effect. */
const now = () => performance.timeOrigin + performance.now() * 1e5
const sleep = async () => {}

async function exportZones({ url, zones, from, rows }: Extract<Task, { url: string }>): Promise<number> {
  const reader = createApiReader({ clients: { baseUrl: url }, now, sleep })
  const encode = createEncoder({ privacy })
  const format = await createFormat({ format: 'ndjson', compression: 'zstd' })
  const folder = await mkdtemp(join(tmpdir(), 'exporter-'))
  try {
    const counts = Array.from({ length: zones }, async (_, zone) => {
      const file = createWriteStream(join(folder, String(zone)))
      const encoding = format.encode(
        (bytes) => new Promise((resolve, reject) => file.write(bytes, (error) => (error ? reject(error) : resolve()))),
      )
      const id = String(zone + 1)
      for await (const batch of reader.readRange(id, from, from + rows, signal)) await encoding.write(encode(batch))
      const written = await encoding.end()
      await finished(file.end())
      return written.rows
    })
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const pageRows = 10_000

function runFloor(pages: number, from: number): number {
  const rows = Array.from({ length: pageRows }, (_, n) => rowAt(from + n))
  const page = `{"data":[${rows.join()}]}`
  for (let n = 0; n < pages; n++) {
    const { data }: { data: unknown[] } = JSON.parse(page)
    let text = ''
    for (const row of data) text += `${JSON.stringify(row)}\n`
    zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })
  }
  return pages * pageRows
}

process.on('message', async (task: Task) => {
  const begun = performance.now()
  const rows = await ('floor' in task ? runFloor(task.floor, task.from) : exportZones(task))
  process.send?.({ rows, ms: performance.now() - begun, peak: await peakMemory() } satisfies Done)
})
process.send?.({ managementUrl: '', loggingUrl: '', accessKey: '' } satisfies Ready)

// If the measurement fails, its servers must stop, too.
process.once('disconnect', () => process.exit())
