/**
 * Exports 20 minutes of the emulator into files: `node export-hour.ts PATH FORMAT`. The emulator of another process has the same rows.
 */
import { createEmulator } from '@cdn/emulator'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { testEncode, testReader } from './reader.ts'
import { minute } from './simulation.ts'

export const zone = '10001'
export const start = Date.parse('2026-06-17T14:00:00Z')
export const end = start + 20 * minute

/** A reader of the emulator, whose clock stands at 14:30. */
export async function openReader() {
  const { loggingUrl, fixtures, clock, fetch } = await createEmulator({
    traffic: { zones: 1, rowsPerSecond: 0.05, hostileShare: 0.3 },
  })
  const client = { baseUrl: loggingUrl.href, accessKey: fixtures.credentials.accessKey, fetch }
  return testReader(client, { now: () => clock.now().getTime(), sleep: async () => {} })
}

export function openFiles(path: string, format: string): Promise<Sink> {
  return openSink({ type: 'files', path, format: format === 'parquet' ? 'parquet' : 'ndjson', compression: 'zstd' }, {})
}

if (import.meta.main) {
  const [path = '', format = ''] = process.argv.slice(2)
  const { signal } = new AbortController()
  const [reader, sink] = [await openReader(), await openFiles(path, format)]
  const encode = testEncode(sink)
  for (let from = start; from < end; from += 5 * minute) {
    const writer = await sink.begin({ zone, from, to: from + 5 * minute, revision: 0 }, signal)
    for await (const batch of reader.readRange({ zone, from: from, to: from + 5 * minute }, encode.page, signal))
      await writer.write(encode.lines(batch))
    await writer.publish()
  }
}
