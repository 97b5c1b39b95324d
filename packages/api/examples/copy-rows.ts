import { createLoggingClient } from '@cdn/api'
import { createRowReader } from '@cdn/api/logs'

const client = createLoggingClient({
  baseUrl: process.env['CDN_LOGGING_URL'],
  bearer: process.env['CDN_BEARER_TOKEN'],
})

const to = Date.now() - 120_000
const reader = createRowReader(client)
for await (const { rows } of reader.read({ pullZoneId: 42, from: to - 3_600_000, to })) {
  for (const row of rows) console.log(JSON.stringify(row))
}
