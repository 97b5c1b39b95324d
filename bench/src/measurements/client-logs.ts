import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { digits, type Measurement } from '../row.ts'
import { startServer } from '../servers/child.ts'
import type { LogServer } from '../servers/log-server.ts'

const rounds = 3
const run = promisify(execFile)
const source = join(import.meta.dirname, '..')

interface Read {
  /** Processor time of the whole process, in microseconds per row. */
  readonly us: number
  /** Peak resident memory, in MiB. */
  readonly peak: number
}

/**
 * Compares the processor time of `readLogs` with `response.json()` on the same rows, and the peak memory of a read with a read of ten
 * times as many rows. Each read runs in a process of its own.
 */
export const clientLogs: Measurement = {
  name: 'client-logs',
  async run() {
    const server = await startServer('log-server', {
      ...{ start: 0, rows: 3_000_000, everyMs: 1, kind: 'usual' },
    } satisfies LogServer)
    const folder = await mkdtemp(join(tmpdir(), 'bench-logs-'))
    const read = async (way: 'readLogs' | 'json', rows: number): Promise<Read> => {
      const flags = ['--import', join(source, 'usage.mjs'), join(source, 'client-logs-child.ts')]
      const env = { ...process.env, USAGE: join(folder, 'usage.json') }
      await run(process.execPath, [...flags, way, server.loggingUrl, String(rows)], { env })
      const { cpuMs, peak } = JSON.parse(await readFile(env.USAGE, 'utf8'))
      return { us: (cpuMs * 1000) / rows, peak: peak / 2 ** 20 }
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
          bound: 'at most 1.3 times',
          met: ratio <= 1.3,
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
      await rm(folder, { recursive: true })
    }
  },
}
