/**
 * Exports 20 minutes of the emulator into files: `node export-windows.ts PATH FORMAT`. Each process has the same rows.
 */
import { createEmulator } from '@cdn/emulator'
import { createApiReader, type WindowReader } from '../../src/reader/api-reader.ts'
import type { ExportRange } from '../../src/segments/segment.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { type Finding, verifySink as verify } from '../../src/verify/index.ts'
import { minute, usualPlan } from './simulation.ts'
import { testEncode, unlimited } from './test-settings.ts'

export const zone = '10001'
export const start = Date.parse('2026-06-17T14:00:00Z')
export const end = start + 20 * minute
const { signal } = new AbortController()

/**
 * Creates readers of one emulator. Its clock stands still, so a reader that has used up its rate limit would wait forever. Each test
 * takes a new reader.
 */
export async function createReaders(traffic: object = {}): Promise<() => WindowReader> {
  const { loggingUrl, fixtures, clock, faults, fetch } = await createEmulator({
    traffic: { zones: 1, rowsPerSecond: 0.05, ...traffic },
  })
  faults.add(unlimited)
  const clients = { baseUrl: loggingUrl.href, accessKey: fixtures.credentials.accessKey, fetch }
  return () => createApiReader({ clients, now: () => clock.now().getTime(), sleep: async () => {} })
}

export const openReader = async () => (await createReaders({ hostileShare: 0.3 }))()

export function openFiles(path: string, format: string): Promise<Sink> {
  return openSink({ type: 'files', path, format: format === 'parquet' ? 'parquet' : 'ndjson', compression: 'zstd' }, {})
}

/** Exports the windows of a range. @returns the number of rows */
export async function exportWindows(
  sink: Sink,
  reader: WindowReader,
  range: ExportRange = { from: start, to: end },
): Promise<number> {
  const encode = testEncode(sink)
  let rows = 0
  for (let from = range.from; from < range.to; from += 5 * minute) {
    const window = { zone, from, to: from + 5 * minute }
    const writer = await sink.begin({ ...window, revision: 0 }, signal)
    for await (const batch of reader.readRange(window, encode.page, signal)) {
      rows += batch.times.length
      await writer.write(encode.lines(batch))
    }
    await writer.publish()
  }
  return rows
}

/** Runs `verify` on a sink, and returns its findings. */
export async function verifySink(sink: Sink, reader: WindowReader, range?: ExportRange) {
  const findings: Finding[] = []
  const options = { sink, zones: [zone], reader, encode: testEncode(sink), plan: usualPlan, signal, range }
  const summary = await verify(options, (finding) => findings.push(finding))
  return { findings, summary }
}

if (import.meta.main) {
  const [path = '', format = ''] = process.argv.slice(2)
  await exportWindows(await openFiles(path, format), await openReader())
}
