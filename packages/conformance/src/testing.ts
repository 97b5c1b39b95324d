/** For tests that need the command line as a user has it: real processes, real sockets, real files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Report } from './report/model.ts'

const bin = join(import.meta.dirname, 'bin.ts')
const emulatorBin = join(fileURLToPath(import.meta.resolve('@cdn/emulator')), '../bin.ts')

/** A command line that runs. */
export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; out: string; err: string }>
}

/** Starts the command line in a folder, with no environment but the one given. */
export function start(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env: { PATH: process.env['PATH'], ...env } })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, out, err })) }
}

/** Runs it to its end. */
export function conformance(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return start(folder, args, env).ended
}

export function readReport(folder: string, name: string): Report {
  return JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8'))
}

/** The emulator as a process of its own, and what a live run against it needs. */
export interface Platform {
  readonly child: ChildProcess
  /** `run --target live` with URLs and fixtures; `--out` is to be added. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly fixtures: Readonly<Record<string, unknown>>
  /** Calls the emulator's control interface. */
  control(method: string, path: string, body?: unknown): Promise<unknown>
  /** Libraries and zones, to compare before and after. */
  state(): Promise<unknown>
}

/** Starts the emulator's own command line, and writes its fixtures into a folder. */
export async function startEmulator(folder: string, name: string): Promise<Platform> {
  const child = spawn(process.execPath, [emulatorBin, '--port', '0', '--json'])
  // Also where a test fails before it ends it.
  process.once('exit', () => child.kill())
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const { managementUrl, loggingUrl, fixtures, env } = JSON.parse(line)
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(fixtures))
  const urls = ['--management-url', managementUrl, '--logging-url', loggingUrl]
  const control = async (method: string, path: string, body?: unknown) => {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(new URL(`/_emulator/${path}`, managementUrl), init)
    const text = await response.text()
    if (!response.ok) throw new Error(`the emulator refused ${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return {
    child,
    args: ['run', '--target', 'live', ...urls, '--fixtures', file],
    env,
    fixtures,
    control,
    state: async () => {
      const { now: _, zones, libraries } = (await control('GET', 'state')) as Record<string, { rows?: number }[]>
      // Rows come and go with time.
      return { libraries, zones: zones?.map(({ rows: __, ...zone }) => zone) }
    },
  }
}
