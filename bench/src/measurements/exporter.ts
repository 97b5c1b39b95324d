import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assertDefined } from '@cdn/kit/assert-defined'
import { hourMs } from '@cdn/kit/time'
import { buildBundle } from '../../../scripts/bundle.ts'
import { digits, type Measurement, type Row } from '../row.ts'
import { startServer } from '../servers/child.ts'
import type { LogServer } from '../servers/log-server.ts'

const run = promisify(execFile)
const rounds = 2
const mebibyte = 2 ** 20
const source = join(import.meta.dirname, '..')

/** Resources that a whole process used. */
interface Usage {
  readonly cpuMs: number
  /** Peak resident memory, in bytes. */
  readonly peak: number
}

/** The rows to export: `rows` rows in each zone, one every 36 ms. */
interface Load {
  readonly zones: number
  readonly rows: number
  readonly kind: LogServer['kind']
}

const everyMs = 36
const usual: Load = { zones: 3, rows: 100_000, kind: 'usual' }
const long: Load = { zones: 3, rows: 20_000, kind: 'long' }

interface Task {
  readonly url: string
  readonly zones: readonly string[]
  /** In ms since 1970. */
  readonly from: number
  readonly to: number
  /** An empty folder. */
  readonly folder: string
}

interface Command {
  readonly args: readonly [file: string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

/** Creates the command of a program. The program writes its `Usage` to the file that the variable USAGE names. */
type Program = (task: Task) => Promise<Command> | Command

const inNode = { NODE_OPTIONS: `--import=${join(source, 'usage.mjs')}` }

const nodeScript: Program = ({ url, zones, from, to, folder }) => ({
  args: [process.execPath, join(source, 'peers/export.mjs'), url, folder, zones.join(), String(from), String(to)],
  env: inNode,
})

const pythonScript =
  (format: 'ndjson' | 'parquet'): Program =>
  ({ url, zones, from, to, folder }) => ({
    args: [python, join(source, 'peers/export.py'), url, folder, zones.join(), String(from), String(to), format],
  })

const python = process.env['PYTHON'] ?? 'python3'

/** `backfill` of the built program. The program starts itself again with its own flags of Node, as it does for users. */
const exporterIn =
  (dist: string, format: 'ndjson' | 'parquet'): Program =>
  async ({ url, zones, from, to, folder }) => {
    const sink = { type: 'files', path: join(folder, 'logs'), format }
    const config = { loggingUrl: url, accessKey: { env: 'CDN_ACCESS_KEY' }, zones, ledger: join(folder, 'state'), sink }
    const file = join(folder, 'config.yaml')
    await writeFile(file, JSON.stringify(config))
    const range = [from, to].map((at) => new Date(at).toISOString()) as [string, string]
    const args = ['backfill', '--config', file, '--from', range[0], '--to', range[1]]
    return { args: [process.execPath, join(dist, 'bin.js'), ...args], env: inNode }
  }

async function usageOf(program: Program, url: string, { zones, rows }: Load, from: number): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-export-'))
  const ids = Array.from({ length: zones }, (_, n) => String(n + 1))
  const usage = join(folder, 'usage.json')
  try {
    const { args, env } = await program({ url, zones: ids, from, to: from + rows * everyMs, folder })
    const [file, ...others] = args
    const { stdout } = await run(file, others, { env: { ...process.env, CDN_ACCESS_KEY: 'any', USAGE: usage, ...env } })
    const written = stdout.replaceAll(',', '')
    if (!written.includes(String(zones * rows))) throw new Error(`Expected ${zones * rows} rows, got: ${stdout}`)
    return JSON.parse(await readFile(usage, 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A peer, the maximum ratio of the exporter's processor time to the peer's, and the Python packages that the peer needs. */
type Peer = readonly [name: string, program: Program, max: number, packages?: string]

/**
 * Runs the exporter and its peers alternately, and compares the processor time of whole processes. The minimum time and the maximum
 * memory of all rounds count. A row of a peer whose packages are missing misses its bound.
 */
async function compare(what: string, load: Load, ours: Program, peers: readonly Peer[]): Promise<Row[]> {
  const present = await Promise.all(peers.map(([, , , packages]) => !packages || hasPackages(packages)))
  const programs = [ours, ...peers.map(([, program]) => program)]
  const best = programs.map(() => ({ cpuMs: Number.POSITIVE_INFINITY, peak: 0 }))
  await withServer(load, async (url, from) => {
    for (let round = 0; round < rounds; round++)
      for (const [n, program] of programs.entries()) {
        if (n > 0 && !present[n - 1]) continue
        const usage = await usageOf(program, url, load, from)
        const { cpuMs, peak } = assertDefined(best[n])
        best[n] = { cpuMs: Math.min(cpuMs, usage.cpuMs), peak: Math.max(peak, usage.peak) }
      }
  })
  const [own, ...others] = best as [Usage, ...Usage[]]
  const rows = peers.map(([name, , max], n) => {
    const other = assertDefined(others[n])
    const ratio = own.cpuMs / other.cpuMs
    return {
      what: `${what}: processor time`,
      ours: `${digits(own.cpuMs)} ms, peak ${digits(own.peak / mebibyte)} MiB`,
      peer: present[n]
        ? `${name} ${digits(other.cpuMs)} ms, ${digits(other.peak / mebibyte)} MiB: ${digits(ratio)} times`
        : `${name}: not installed`,
      bound: `at most ${max} times`,
      met: Boolean(present[n]) && ratio <= max,
    }
  })
  return what === usualName ? [...rows, memoryRow(own, assertDefined(others[0])), limitRow(own, load)] : rows
}

const usualName = 'exporter, NDJSON'

/** The peak memory, compared with the Node script. */
function memoryRow(own: Usage, script: Usage): Row {
  const ratio = own.peak / script.peak
  const [ours, peer] = [own, script].map(({ peak }) => `${digits(peak / mebibyte)} MiB`) as [string, string]
  return {
    what: `${usualName}: memory`,
    ours,
    peer: `a Node script ${peer}: ${digits(ratio)} times`,
    bound: 'at most 0.5 times',
    met: ratio <= 0.5,
  }
}

/** Maximum number of rows that the platform sends of one zone, per second: 30 requests in 10 s, of 10,000 rows each (§8). */
const zoneRows = 30_000

/** Number of zones that one core can export if each zone has as many rows as the rate limit allows to read. */
function limitRow({ cpuMs }: Usage, { zones, rows }: Load): Row {
  const carried = (zones * rows * 1000) / cpuMs / zoneRows
  return {
    what: `${usualName}: zones at the platform's limit per core`,
    ours: digits(carried),
    peer: '',
    bound: 'at least 4',
    met: carried >= 4,
  }
}

async function hasPackages(packages: string): Promise<boolean> {
  return run(python, ['-c', `import ${packages}`]).then(
    () => true,
    () => false,
  )
}

async function peakRow(what: string, load: Load, ours: Program, max: number): Promise<Row> {
  const { peak } = await withServer(load, (url, from) => usageOf(ours, url, load, from))
  const bound = `at most ${max} MiB`
  return { what: `${what}: peak`, ours: `${digits(peak / mebibyte)} MiB`, peer: '', bound, met: peak <= max * mebibyte }
}

/** Serves a load. Its rows begin at a full hour, two to three hours ago. */
async function withServer<T>({ rows, kind }: Load, act: (url: string, from: number) => Promise<T>): Promise<T> {
  const from = Math.floor(Date.now() / hourMs - 2) * hourMs
  const server = await startServer('log-server', { start: from, rows, everyMs, kind } satisfies LogServer)
  try {
    return await act(server.loggingUrl, from)
  } finally {
    await server.stop()
  }
}

/**
 * Compares the built program with scripts that a user would write instead (`src/peers`). All read the same rows over loopback HTTP
 * from another process. The environment variable PYTHON names the Python that runs the Python scripts; `python3` by default.
 */
export const exporter: Measurement = {
  name: 'exporter',
  async run() {
    const dist = await mkdtemp(join(tmpdir(), 'bench-exporter-'))
    try {
      const folder = join(import.meta.dirname, '../../../apps/logs-exporter')
      await buildBundle({ folder, outdir: dist, main: './cli/main.ts', external: ['pg-native'] })
      await writeFile(join(dist, 'package.json'), '{"type":"module"}')
      const [ndjson, parquet] = [exporterIn(dist, 'ndjson'), exporterIn(dist, 'parquet')]
      const byNode: Peer = ['a Node script', nodeScript, 1.3]
      const byPython: Peer = ['httpx, orjson, zstandard', pythonScript('ndjson'), 0.9, 'httpx, orjson, zstandard']
      const byArrow: Peer = ['httpx, orjson, pyarrow', pythonScript('parquet'), 1.7, 'httpx, orjson, pyarrow']
      const wide = { ...usual, zones: 32, rows: 25_000 }
      return [
        ...(await compare(usualName, usual, ndjson, [byNode, byPython])),
        ...(await compare('exporter, NDJSON, many escapes', { ...usual, kind: 'hostile' }, ndjson, [byNode, byPython])),
        ...(await compare('exporter, NDJSON, rows of 4.6 kB', long, ndjson, [byNode, byPython])),
        ...(await compare('exporter, Parquet', usual, parquet, [byArrow])),
        await peakRow('exporter, one zone', { ...usual, zones: 1 }, ndjson, 180),
        await peakRow('exporter, 32 zones at once', wide, ndjson, 240),
        await peakRow('exporter, 32 zones at once, rows of 4.6 kB', { ...long, zones: 32, rows: 5000 }, ndjson, 240),
      ]
    } finally {
      await rm(dist, { recursive: true })
    }
  },
}
