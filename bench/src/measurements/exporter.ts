import { defined } from '@cdn/kit/defined'
import { nodeEnv, nodeFlags } from '@cdn/logs-exporter/src/process-flags.ts'
import { type Each, mapEach } from '../map-each.ts'
import { digits, type Measurement, type Row } from '../row.ts'
import { buildSubject } from '../subjects/build.ts'
import { type Subject, startFile, startSubject } from '../subjects/child.ts'
import type { Done, Task } from '../subjects/exporter.ts'
import type { LogServer } from '../subjects/log-server.ts'

const mebibyte = 2 ** 20
const from = Date.UTC(2026, 5, 17)
const rows = 200_000
const rounds = 5
const start = { flags: nodeFlags, env: nodeEnv }

/** Measures the exporter on one core: it reads rows over loopback HTTP from another process and writes NDJSON.zst. */
export const exporter: Measurement = {
  name: 'exporter',
  async run() {
    const { file, remove } = await buildSubject('exporter')
    try {
      return [...(await shortRows(file)), await longRows(file)]
    } finally {
      await remove()
    }
  },
}

async function shortRows(file: string): Promise<Row[]> {
  const server = await startSubject('log-server', { start: from, rows, agentBytes: 0 } satisfies LogServer)
  const url = server.loggingUrl
  const startBuild = () => startFile(file, {}, start)
  const [ours, many] = await Promise.all([startBuild(), startBuild()])
  const floor = await startSubject('exporter')
  try {
    const where = [ours, many, floor].map((subject) => subject.pin(0)).every(Boolean) && server.pin(1)
    const [v2, baseline] = await alternate([
      [ours, { url, zones: 1, from, rows }],
      [floor, { floor: rows / 10_000, from }],
    ])
    const wide = await many.ask<Done>({ url, zones: 32, from, rows: rows / 8 } satisfies Task)
    const ratio = v2.rate / baseline.rate
    const core = where ? 'one core' : 'without separate cores'
    return [
      {
        what: `exporter, v2 to NDJSON.zst, rows/s (${core})`,
        ours: digits(v2.rate),
        peer: `JSON.parse, JSON.stringify and zstd alone ${digits(baseline.rate)}: ${digits(ratio)} times`,
        bound: 'at least 1 times, and 250,000',
        met: ratio >= 1 && v2.rate >= 250_000,
      },
      memoryRow('exporter, v2, one zone: peak', v2.peak, 180),
      memoryRow('exporter, v2, 32 zones at once: peak', wide.peak, 240),
    ]
  } finally {
    await Promise.all([server, ours, many, floor].map((subject) => subject.stop()))
  }
}

async function longRows(file: string): Promise<Row> {
  const long = { start: from, rows: 20_000, agentBytes: 4000 } satisfies LogServer
  const server = await startSubject('log-server', long)
  const subject = await startFile(file, {}, start)
  try {
    subject.pin(0)
    server.pin(1)
    const task: Task = { url: server.loggingUrl, zones: 32, from, rows: long.rows }
    return memoryRow('exporter, v2, 32 zones at once, rows of 4.6 kB: peak', (await subject.ask<Done>(task)).peak, 240)
  } finally {
    await Promise.all([server.stop(), subject.stop()])
  }
}

function memoryRow(what: string, peak: number, max: number): Row {
  return {
    what,
    ours: `${digits(peak / mebibyte)} MiB`,
    peer: '',
    bound: `at most ${max} MiB`,
    met: peak <= max * mebibyte,
  }
}

interface Best {
  readonly rate: number
  readonly peak: number
}

/** Runs subjects alternately, so that other load on the machine affects all of them, and returns the best round of each. */
async function alternate<const Turns extends readonly (readonly [Subject, Task])[]>(
  turns: Turns,
): Promise<Each<Turns, Best>> {
  const best = turns.map((): Best => ({ rate: 0, peak: 0 }))
  for (let round = 0; round < rounds; round++) {
    for (const [index, [subject, task]] of turns.entries()) {
      const { rows, ms, peak } = await subject.ask<Done>(task)
      best[index] = { rate: Math.max(defined(best[index]).rate, (rows * 1000) / ms), peak }
    }
  }
  return mapEach(turns, (_, index) => defined(best[index]))
}
