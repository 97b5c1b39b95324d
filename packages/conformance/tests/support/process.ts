/** Runs the command line with real sockets and files: in this process, or in a child process that a test can kill. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JournalEntry } from '@cdn/emulator'
import { runConformance } from '../../src/cli/cli.ts'
import type { Report } from '../../src/exchange/report-model.ts'

const bin = join(import.meta.dirname, '../../src/bin.ts')
const emulatorBin = join(fileURLToPath(import.meta.resolve('@cdn/emulator')), '../bin.ts')

/** A running process of the command line. */
export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; out: string; err: string }>
}

/**
 * Starts the command line in a folder. Its environment is `env`, `PATH`, and the compile cache for a faster start.
 *
 * @param output file descriptor for the standard output; by default it is collected
 */
export function startConformance(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  output?: number,
): Started {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', output ?? 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => (out += chunk))
  child.stderr?.on('data', (chunk) => (err += chunk))
  return { child, ended: once(child, 'close').then(([code]) => ({ code, out, err })) }
}

/**
 * Runs the command line to its end in this process, as if the folder were the working directory: most tests are about what a run says
 * and leaves, not about its process.
 */
export async function conformance(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const streamOf = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) })
  const isPath = (index: number) => /^--(out|fixtures|expect)$/.test(args[index - 1] ?? '')
  const absolute = args.map((arg, index) => (isPath(index) ? resolve(folder, arg) : arg))
  const code = await runConformance(absolute, env, { out: streamOf('out'), err: streamOf('err') })
  return { code, ...written }
}

export function readReport(folder: string, name: string): Report {
  return JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8'))
}

/** The emulator as a separate process, which no work of a test delays, with the arguments for a live run. */
export interface Platform {
  /** `run --target live` with URLs and fixtures, without `--out`. */
  readonly args: readonly string[]
  readonly managementUrl: string
  readonly env: Readonly<Record<string, string>>
  readonly fixtures: Readonly<Record<string, unknown>>
  control(method: string, path: string, body?: unknown): Promise<unknown>
  journal(): Promise<{ readonly entries: readonly Pick<JournalEntry, 'method' | 'path' | 'status' | 'faults'>[] }>
  /** All collections that are not empty, to compare before and after. */
  state(): Promise<unknown>
  close(): void
}

/** Starts the emulator's command line, and writes its fixtures into a folder. */
export async function startEmulator(folder: string, name: string): Promise<Platform> {
  const child = spawn(process.execPath, [emulatorBin, '--port', '0', '--json'])
  const close = () => void child.kill()
  // End the emulator even if a test fails before it calls `close`.
  process.once('exit', close)
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
    managementUrl,
    args: ['run', '--target', 'live', ...urls, '--fixtures', file],
    ...{ env, fixtures, control, close },
    journal: () => control('GET', 'journal') as ReturnType<Platform['journal']>, // the type that this path returns
    // Rows appear and expire over time, so leave them out.
    state: async () => {
      const { resources } = Object(await control('GET', 'state'))
      return Object.fromEntries(
        Object.entries(resources).filter(([, items]) => !Array.isArray(items) || items.length > 0),
      )
    },
  }
}
