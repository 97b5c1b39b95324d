import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createEmulator, type EmulatorOptions } from '@cdn/emulator'
import { hourMs } from '@cdn/kit/time'
import { runExporter } from '../../src/cli/main.ts'

export const bin = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }

/** Runs commands of the exporter against an emulator, in a temporary folder. @param place where that folder is */
export async function openCli(
  traffic: EmulatorOptions['traffic'] = { zones: 1, rowsPerSecond: 0.05 },
  place = tmpdir(),
) {
  const emulator = await createEmulator({ clock: 'real', traffic })
  const { loggingUrl, managementUrl } = await emulator.listen()
  const { accessKey } = emulator.fixtures.credentials
  const running: ChildProcess[] = []
  const killAll = () => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
  }
  process.on('exit', killAll)
  const newFolder = () => mkdtemp(join(place, 'exporter-cli-'))
  let folder = await newFolder()
  /** The configuration that was written last. It is the default of `--config`. */
  let config = ''

  /** Starts a process. `said` resolves when the output contains the text, with all output of both streams so far. */
  function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [bin, ...args], {
      env: { ...process.env, ...compileCache, CDN_ACCESS_KEY: accessKey, CDN_LOGS_EXPORTER_CONFIG: config, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.push(child)
    const texts = { out: '', err: '' }
    child.stdout.on('data', (piece) => {
      texts.out += piece
    })
    child.stderr.on('data', (piece) => {
      texts.err += piece
    })
    return {
      process: child,
      said: (text: string) =>
        new Promise<string>((resolve, reject) => {
          const check = () => (texts.out + texts.err).includes(text) && resolve(texts.out + texts.err)
          for (const stream of [child.stdout, child.stderr]) stream.on('data', check)
          check()
          child.on('close', () => reject(new Error(`It ended without saying ${text}: ${texts.err}`)))
        }),
      ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...texts })),
    }
  }
  return {
    emulator,
    loggingUrl: loggingUrl.href,
    managementUrl: managementUrl.href,
    accessKey,
    folder: () => folder,
    start,
    /** Writes a configuration of one zone, with segments in `logs`. `changes` replace settings. Later commands use it. */
    async configure(changes: object = {}, name = 'config.yaml'): Promise<string> {
      const file = join(folder, name)
      config = file
      const settings = {
        loggingUrl: loggingUrl.href,
        zones: ['10001'],
        ledger: join(folder, 'state'),
        sink: { type: 'files', path: join(folder, 'logs') },
        listen: '127.0.0.1:0',
        ...changes,
      }
      await writeFile(file, JSON.stringify(settings))
      return file
    },
    /** Runs a command in this process. */
    async ask(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
      const texts = { out: '', err: '' }
      const out = { write: (text: string) => (texts.out += text) }
      const err = new PassThrough().on('data', (text) => (texts.err += text))
      const code = await runExporter(args, {
        env: { CDN_ACCESS_KEY: accessKey, CDN_LOGS_EXPORTER_CONFIG: config, ...env },
        out,
        err,
      })
      return { code, ...texts }
    },
    /** Kills the processes and empties the folder. */
    async reset(): Promise<void> {
      killAll()
      await rm(folder, { recursive: true, force: true })
      folder = await newFolder()
      config = ''
    },
    async close(): Promise<void> {
      process.off('exit', killAll)
      killAll()
      await emulator.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const iso = (time: number) => new Date(time).toISOString()

/** The options of an hour that closed long ago. */
export function pastHour() {
  const from = Math.floor(Date.now() / hourMs) * hourMs - 3 * hourMs
  return ['--from', iso(from), '--to', iso(from + hourMs)]
}
