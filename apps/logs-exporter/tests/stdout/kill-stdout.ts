/**
 * Kills a process that writes rows to standard output (SIGKILL) again and again, at random. Compares what its reader got with the
 * segments: `node kill-stdout.ts [kills]` exits with 1 if a row is lost, or if more than one piece per kill is doubled.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { openSink } from '../../src/sinks/open-sink.ts'
import { line, publish, windowAt } from '../sinks/lines.ts'
import { bundleOnce, memoryPlace } from '../support/worker-bundle.ts'

const zone = '4711'
const segmentRows = 4
const bundled = bundleOnce(join(import.meta.dirname, 'stdout-writer.ts'))

/** Writes segments of one to three pieces. @returns the ids of their rows */
async function prepare(folder: string, segments: number): Promise<string[]> {
  const sink = await openSink({ type: 'files', path: `${folder}/logs`, format: 'ndjson', compression: 'zstd' }, {})
  const ledger = openLedger(`${folder}/state`)
  await ledger.setStdout(true)
  const ids: string[] = []
  for (let n = 0; n < segments; n++) {
    const window = windowAt(n, zone)
    const path = `/${'x'.repeat(n % 20 === 0 ? 700_000 : 10)}${n}`
    const rowIds = Array.from({ length: segmentRows }, (_, at) => `${n}-${at}`)
    const lines = rowIds.map((requestId, at) => line(window, at, { path, requestId }))
    await publish(sink, window, [lines.join('')])
    await ledger.record({ ...window, rows: segmentRows, nextRevision: 1, checkedAt: window.to, recheckDue: undefined })
    ids.push(...rowIds)
  }
  await ledger.close()
  return ids
}

/** Runs a campaign. The last process is not killed, and writes the rest. */
export async function killStdout(wanted: number) {
  const folder = await mkdtemp(join(memoryPlace, 'exporter-stdout-'))
  const read = new Map<string, number>()
  let kills = 0

  /** @returns whether the process has written all rows */
  async function live(): Promise<boolean> {
    const { path, env } = await bundled()
    const child = spawn(process.execPath, [path, folder], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const printed: Buffer[] = []
    child.stdout.on('data', (bytes) => {
      printed.push(bytes)
      if (kills < wanted && Math.random() < 0.3) child.kill('SIGKILL')
    })
    const [code, signal] = await once(child, 'close')
    // A killed process may leave a part of a line, which a reader of lines drops.
    for (const row of String(Buffer.concat(printed)).split('\n').slice(0, -1)) {
      const { requestId } = JSON.parse(row)
      read.set(requestId, (read.get(requestId) ?? 0) + 1)
    }
    if (signal === 'SIGKILL') kills++
    else if (code !== 0) throw new Error(`The process ended with ${code ?? signal}`)
    return code === 0
  }

  try {
    const ids = await prepare(folder, wanted * 4)
    while (!(await live()));
    const missing = ids.filter((id) => !read.has(id)).length
    const doubled = [...read.values()].reduce((sum, count) => sum + count - 1, 0)
    return { kills, rows: ids.length, missing, doubled }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { kills, rows, missing, doubled } = await killStdout(Number(process.argv[2]))
  const most = kills * segmentRows
  console.log(`stdout: ${kills} kills, ${rows} rows: ${missing} lost, ${doubled} doubled (at most ${most})`)
  process.exitCode = missing === 0 && doubled <= most ? 0 : 1
}
