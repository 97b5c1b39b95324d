import { Agent } from 'node:http'
import { answerOf } from '../read-page.ts'
import { digits, type Measurement, type Row } from '../row.ts'
import { type Subject, startSubject } from '../subjects/child.ts'

const day = 24 * 3_600_000
const rows = 5_000_000
/** Number of lines in the file. By default, a file omits the rows of the origin shield, one row in twelve. */
const expectedLines = (rows * 11) / 12
const mebibyte = 2 ** 20

/** Measures a v1 day file of 5 million generated rows, and the server's peak resident memory. */
export const dayFile: Measurement = {
  name: 'day-file',
  async run() {
    const start = '2026-06-18T00:00:00.000Z'
    const traffic = { zones: 1, rowsPerSecond: (rows * 1000) / day }
    const subject = await startSubject('emulator-server', { start, traffic })
    try {
      return [toRow('v1 file of 5 million rows, generated traffic', await stream(subject, '10001'))]
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

function toRow(what: string, { lines, seconds, peak }: Streamed): Row {
  return {
    what,
    ours: `${digits(lines / seconds)} lines/s`,
    peer: `peak ${digits(peak / mebibyte)} MiB`,
    bound: 'under 300 MiB',
    met: peak / mebibyte < 300 && lines > 0.99 * expectedLines,
  }
}
