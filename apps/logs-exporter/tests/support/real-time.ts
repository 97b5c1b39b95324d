import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createEmulator, type EmulatorOptions } from '@cdn/emulator'
import { bin } from './cli.ts'
import { violations } from './oracle.ts'
import { readFiles } from './read-files.ts'
import { memoryPlace } from './worker-bundle.ts'

/** An emulator in real time with a folder of segments, for exporters in processes of their own. */
export async function openPlatform(traffic: NonNullable<EmulatorOptions['traffic']>) {
  const emulator = await createEmulator({ clock: 'real', traffic })
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  const zones = [...emulator.state.zones.keys()].filter((id) => id.length === 5)
  const { loggingUrl } = await emulator.listen()
  const folder = await mkdtemp(join(memoryPlace, 'exporter-real-'))
  const logs = join(folder, 'logs')
  const children = new Set<ChildProcess>()
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.on('exit', killAll)
  return {
    emulator,
    zones,
    /** Starts an exporter process with its own ledger. @param onLog called with each line of the process's log */
    async start(name: string, args: readonly string[], settings: object, onLog: (line: string) => void = () => {}) {
      const config = join(folder, `${name}.yaml`)
      const sink = { type: 'files', path: logs }
      const usual = { loggingUrl: loggingUrl.href, zones, ledger: join(folder, name), sink, listen: '127.0.0.1:0' }
      await writeFile(config, JSON.stringify({ ...usual, ...settings }))
      const env = {
        CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      }
      const flags = ['--disable-warning=ExperimentalWarning', bin, ...args, '--config', config]
      const child = spawn(process.execPath, flags, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      children.add(child)
      createInterface(child.stderr).on('line', onLog)
      const ended = once(child, 'close').then(([code]) => {
        children.delete(child)
        return code as number | null
      })
      return { child, ended }
    },
    /** The names of the segments. */
    segments: () =>
      existsSync(logs) ? readdirSync(logs, { recursive: true }).filter((name) => String(name).endsWith('.zst')) : [],
    read: () => readFiles(logs),
    /** Compares a zone with the store, from its first segment or `from` on. */
    compare(zone: string, to: number, from?: number) {
      const own = readFiles(logs).filter((segment) => segment.zone === zone)
      const begin = from ?? Math.min(...own.map((segment) => segment.from))
      const stored = emulator.state.logs.rows(zone, begin, to)
      const rows = stored.filter(({ originShield }) => !originShield).length
      return { rows, violations: violations(own, { stored, from: begin, to }) }
    },
    async close() {
      process.off('exit', killAll)
      killAll()
      await emulator.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
