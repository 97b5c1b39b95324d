import { createLoggingClient, readLogFile } from '@cdn/api'

const client = createLoggingClient({
  baseUrl: process.env['CDN_LOGGING_URL'],
  accessKey: process.env['CDN_ACCESS_KEY'],
})

let bytes = 0n
for await (const line of readLogFile(client, { pullZoneId: 42, date: new Date() })) {
  if (line.malformed) console.error('skipped an invalid line')
  else bytes += BigInt(line.bytesSent)
}
console.log(`${bytes} bytes today`)
