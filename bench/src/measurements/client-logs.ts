import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createLimiter, createLoggingClient, readLogFile } from '@cdn/api'
import { lineAt, lines, pages } from '../client-logs-stub.ts'
import { digits, type Measurement, type Row } from '../row.ts'

const mebibyte = 2 ** 20
const sample = 400_000
const rounds = 5

/** Measures the two readers: how many lines per second become typed rows, and how memory grows with the number of rows. */
export const clientLogs: Measurement = {
  name: 'client-logs',
  async run() {
    return [await speed(), ...(await memory())]
  },
}

async function speed(): Promise<Row> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let n = 0, text = ''; n < sample; n++) {
    text += lineAt(n)
    if (text.length < 65_536 && n < sample - 1) continue
    pieces.push(new TextEncoder().encode(text))
    text = ''
  }
  const body = () =>
    new Response(
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece)
          controller.close()
        },
      }),
    )
  const limiter = createLimiter({ requests: 1e9, windowMs: 1 })
  const client = createLoggingClient({ baseUrl: 'http://logs.invalid', fetch: async () => body(), limiter })
  const ours = async () => {
    let count = 0
    for await (const row of readLogFile(client, { pullZoneId: 1, date: 0 })) if (!row.malformed) count++
    return count
  }
  const naive = async () => {
    let count = 0
    for (const line of (await body().text()).split('\n')) if (toRow(line.split('|'))) count++
    return count
  }
  const [our, theirs] = [await fastest(ours), await fastest(naive)]
  const peers = [`naive split of the whole file ${digits(theirs)}`, ...miller(pieces)]
  return {
    what: 'v1 lines to typed rows, lines/s',
    ours: digits(our),
    peer: peers.join(', '),
    bound: 'at least 700,000',
    met: our >= 700_000,
  }
}

/** Converts a line like a naive alternative to the reader: without checks and without exact integers. */
function toRow(fields: readonly string[]): object | undefined {
  const [cacheStatus, statusCode, timestamp, bytesSent, pullZoneId, ...rest] = fields
  const [remoteIp, referer, url, edgeLocation, userAgent, requestId, countryCode] = rest.map((field) =>
    field === '-' ? null : field,
  )
  if (fields.length !== 12) return undefined
  const numbers = { statusCode: Number(statusCode), timestamp: Number(timestamp), bytesSent: Number(bytesSent) }
  const texts = { remoteIp, referer, url, edgeLocation, userAgent, requestId, countryCode }
  return { cacheStatus, ...numbers, pullZoneId: Number(pullZoneId), ...texts }
}

async function fastest(read: () => Promise<number>): Promise<number> {
  let best = 0
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    const count = await read()
    if (count !== sample) throw new Error(`${count} rows instead of ${sample}`)
    best = Math.max(best, (count * 1000) / (performance.now() - begun))
  }
  return best
}

/** Measures how fast miller converts the lines to JSON, if miller is installed. */
function miller(pieces: readonly Uint8Array[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'miller-'))
  try {
    const file = join(folder, 'day.log')
    writeFileSync(file, Buffer.concat(pieces))
    const begun = performance.now()
    const args = ['--icsv', '--implicit-csv-header', '--allow-ragged-csv-input', '--ifs', '|', '--ojsonl', 'cat', file]
    const { error, status } = spawnSync('mlr', args, { stdio: 'ignore' })
    if (error || status !== 0) return ['miller is not installed']
    return [`miller to JSON lines ${digits((sample * 1000) / (performance.now() - begun))}`]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Two numbers of rows, and the maximum additional memory of the larger one in MiB. */
interface Growth {
  readonly kind: 'v1' | 'v2'
  readonly what: string
  readonly few: number
  readonly many: number
  readonly max: number
}

async function memory(): Promise<Row[]> {
  const more = async ({ kind, what, few, many, max }: Growth): Promise<Row> => {
    const [base, peak] = [await peakOf(kind, few), await peakOf(kind, many)]
    return {
      what,
      ours: `${digits(peak - base)} MiB more`,
      peer: `peaks ${digits(base)} and ${digits(peak)} MiB`,
      bound: `at most ${max} MiB more`,
      met: peak - base <= max,
    }
  }
  return [
    await more({ kind: 'v2', what: 'readLogs: 1,000,000 rows over 10,000', few: 10_000, many: 1_000_000, max: 80 }),
    await more({ kind: 'v1', what: 'readLogFile: 1 GB over 100 MB', few: 330_000, many: 3_300_000, max: 20 }),
  ]
}

/** Returns the peak resident memory of a reader in MiB. The reader runs in a separate process. */
async function peakOf(kind: 'v1' | 'v2', rows: number): Promise<number> {
  const answer = kind === 'v2' ? pages : lines({ rows })
  const server = createServer(async (request, response) => {
    const { body } = await answer(new Request(new URL(String(request.url), 'http://logs.invalid')))
    // The types of the web and of Node describe the same stream.
    if (body) await pipeline(Readable.fromWeb(body as never), response).catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo // the server listens on a port
    const url = `http://127.0.0.1:${port}`
    const file = join(import.meta.dirname, '../client-logs-child.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [file, kind, url, String(rows)])
    return Number(stdout) / mebibyte
  } finally {
    server.close()
  }
}
