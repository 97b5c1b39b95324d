/** Reads rows from a server in another process. Then it prints the peak resident memory of its own process in bytes. */
import { createLimiter, createLoggingClient, readLogFile, readLogs } from '@cdn/api'
import { peakMemory } from './peak-memory.ts'

const [kind, baseUrl, expectedRows] = process.argv.slice(2)
const limiter = createLimiter({ requests: 1e9, windowMs: 1 })
const client = createLoggingClient({ baseUrl, limiter })
const rows =
  kind === 'v2'
    ? readLogs(client, { pullZoneId: 1, from: 0, to: Number(expectedRows) })
    : readLogFile(client, { pullZoneId: 1, date: 0 })
let count = 0
for await (const _row of rows) count++
if (count !== Number(expectedRows)) throw new Error(`${count} rows instead of ${expectedRows}`)
console.log(await peakMemory())
