import { Agent } from 'node:http'
import { answerOf } from '../read-page.ts'
import { digits, type Measurement, type Row } from '../row.ts'
import { type Subject, startSubject } from '../subjects/child.ts'
import type { Stored } from '../subjects/emulator-server.ts'

const day = 24 * 3_600_000
const rows = 5_000_000
/** Number of lines in the file. By default, a file omits the rows of the origin shield, one row in twelve. */
const expectedLines = (rows * 11) / 12
const stored = '20001'
const mebibyte = 2 ** 20

/** Measures v1 day files of 5 million rows, stored and generated, and the server's peak resident memory. */
export const dayFile: Measurement = {
  name: 'day-file',
  async run() {
    const start = '2026-06-18T00:00:00.000Z'
    const traffic = { zones: 1, rowsPerSecond: (rows * 1000) / day }
    const subject = await startSubject('emulator-server', { start, traffic })
    try {
      const generatedFile = await stream(subject, '10001')
      const { rows: count, bytes } = await subject.ask<Stored>({ store: { from: '10001', to: stored, ms: day } })
      await subject.ask({ peak: true })
      const storedFile = await stream(subject, stored)
      return [
        toRow('v1 file of 5 million rows, generated traffic', generatedFile, 0),
        toRow(
          `v1 file of ${count.toLocaleString('en')} rows from the store, ${digits(bytes / count)} bytes per row`,
          storedFile,
          bytes,
        ),
      ]
    } finally {
      await subject.stop()
    }
  },
}

interface Streamed {
  readonly lines: number
  readonly seconds: number
  /** Peak memory in bytes. */
  readonly peak: number
}

async function stream(subject: Subject, zoneId: string): Promise<Streamed> {
  const begun = performance.now()
  let lines = 0
  const url = new URL(`06-17-26/${zoneId}.log?sort=asc`, subject.loggingUrl)
  for await (const chunk of await answerOf(url, subject.accessKey, new Agent())) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
  }
  return { lines, seconds: (performance.now() - begun) / 1000, peak: await subject.ask<number>({ peak: true }) }
}

function toRow(what: string, { lines, seconds, peak }: Streamed, storeBytes: number): Row {
  const above = (peak - storeBytes) / mebibyte
  return {
    what,
    ours: `${digits(lines / seconds)} lines/s, peak ${digits(peak / mebibyte)} MiB`,
    peer: `store ${digits(storeBytes / mebibyte)} MiB, so ${digits(above)} MiB above it`,
    bound: 'under 300 MiB above the store',
    met: above < 300 && lines > 0.99 * expectedLines,
  }
}
