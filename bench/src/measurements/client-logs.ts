import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { digits, type Measurement } from '../row.ts'
import { startSubject } from '../subjects/child.ts'
import type { LogServer } from '../subjects/log-server.ts'

const rounds = 3
const run = promisify(execFile)

interface Read {
  /** Processor time of the whole process, in microseconds per row. */
  readonly us: number
  /** Peak resident memory, in MiB. */
  readonly peak: number
}

/**
 * Compares `readLogs` with `response.json()` on the same rows, and its peak memory with that of a read of ten times as many rows. Each
 * read runs in a process of its own.
 */
export const clientLogs: Measurement = {
  name: 'client-logs',
  async run() {
    const server = await startSubject('log-server', {
      ...{ start: 0, rows: 3_000_000, everyMs: 1, kind: 'usual' },
    } satisfies LogServer)
    const read = async (way: 'readLogs' | 'json', rows: number): Promise<Read> => {
      const file = join(import.meta.dirname, '../client-logs-child.ts')
      const { stdout } = await run(process.execPath, [file, way, server.loggingUrl, String(rows)])
      return JSON.parse(stdout)
    }
    try {
      const ratios: number[] = []
      for (let round = 0; round < rounds; round++)
        ratios.push((await read('readLogs', 300_000)).us / (await read('json', 300_000)).us)
      const ratio = Math.min(...ratios)
      const [few, many] = [await read('readLogs', 300_000), await read('readLogs', 3_000_000)]
      return [
        {
          what: 'readLogs: processor time per row',
          ours: `${digits(few.us)} us`,
          peer: `response.json(): ${digits(ratio)} times`,
          bound: 'at most 1.5 times',
          met: ratio <= 1.5,
        },
        {
          what: 'readLogs: peak at 3,000,000 rows',
          ours: `${digits(many.peak)} MiB`,
          peer: `at 300,000 rows ${digits(few.peak)} MiB: ${digits(many.peak / few.peak)} times`,
          bound: 'at most 1.1 times',
          met: many.peak <= 1.1 * few.peak,
        },
      ]
    } finally {
      await server.stop()
    }
  },
}
