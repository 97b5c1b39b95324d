import { createLoggingClient, readLogs } from '@cdn/api'

const client = createLoggingClient({
  baseUrl: process.env['CDN_LOGGING_URL'],
  bearer: process.env['CDN_BEARER_TOKEN'],
})

const to = Date.now() - 120_000 // rows arrive up to two minutes late
let failures = 0
for await (const row of readLogs(client, { pullZoneId: 42, from: to - 3_600_000, to, status: '5xx' })) {
  if (row.cacheStatus !== 'STALE') failures++
}
console.log(`${failures} failures in an hour`)
