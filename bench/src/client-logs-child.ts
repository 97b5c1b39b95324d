/** Reads rows from a server in another process: with `readLogs`, or as plain JSON. */
import { createLimiter, createLoggingClient, readLogs } from '@cdn/api'

const [way, baseUrl = '', expected] = process.argv.slice(2)
const rows = Number(expected)
const pageRows = 10_000

async function readPages(): Promise<number> {
  let count = 0
  for (let from = 0; from < rows; from += pageRows) {
    const range = { from: new Date(from).toISOString(), to: new Date(from + pageRows).toISOString() }
    const query = new URLSearchParams({ ...range, limit: String(pageRows), order: 'asc' })
    const response = await fetch(new URL(`v2/pullzones/1/logs?${query}`, baseUrl))
    const { data }: { data: unknown[] } = await response.json()
    count += data.length
  }
  return count
}

async function readAll(): Promise<number> {
  const client = createLoggingClient({ baseUrl, limiter: createLimiter({ requests: 1e9, windowMs: 1 }) })
  let count = 0
  for await (const _row of readLogs(client, { pullZoneId: 1, from: 0, to: rows })) count++
  return count
}

const count = await (way === 'json' ? readPages() : readAll())
if (count !== rows) throw new Error(`${count} rows instead of ${rows}`)
