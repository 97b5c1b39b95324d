import { createLoggingClient } from '@cdn/api'
import { decode, readBatches, rowBytes } from '@cdn/api/batches'

const client = createLoggingClient({
  baseUrl: process.env['CDN_LOGGING_URL'],
  bearer: process.env['CDN_BEARER_TOKEN'],
})

const to = Date.now() - 120_000
for await (const batch of readBatches(client, { pullZoneId: 42, from: to - 3_600_000, to })) {
  for (let n = 0; n < batch.times.length; n++) console.log(decode(rowBytes(batch, n)))
}
