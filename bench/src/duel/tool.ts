import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { EmulatorFixtures } from '@cdn/emulator'

/** What a tool reports about a server. */
export interface Result {
  /** One short text per kind of problem. */
  readonly problems: readonly string[]
  /** Problems that this suite finds with its spec layer; only of this suite. */
  readonly fromSpec?: readonly string[]
  readonly requests: number
  readonly seconds: number
}

/** A server to test: a correct one, one of the catalogue, or one with a mutant of Stryker. */
export interface Subject {
  readonly name: string
  /** Id of the mutant in the instrumented copy. */
  readonly mutant?: string
}

/** A server that listens. */
export interface Served {
  readonly managementUrl: string
  readonly loggingUrl: string
  readonly fixtures: EmulatorFixtures
}

/** A tool of the duel. */
export interface Tool {
  readonly name: string
  readonly version: string
  examine(subject: Subject, seed: number): Promise<Result>
}

/** Time that a tool has for one server, in ms. */
export const maxTimeMs = 600_000

/**
 * Runs a child of this folder and returns the last line that it prints, as JSON.
 *
 * @throws Error if it prints none in time
 */
export async function runChild(file: string, { name, mutant }: Subject, args: readonly string[]): Promise<unknown> {
  const child = start(file, mutant, [name, ...args])
  const timer = setTimeout(() => child.kill('SIGKILL'), maxTimeMs)
  let last = ''
  for await (const line of createInterface(child.stdout)) last = line
  clearTimeout(timer)
  if (!last.startsWith('{')) throw new Error(`${file} printed no result for ${name}: ${last.slice(0, 200)}`)
  return JSON.parse(last)
}

/** Serves a subject while `use` runs. Returns what `use` returns, and the number of requests and the duration. */
export async function serve(
  { name, mutant }: Subject,
  use: (served: Served) => Promise<readonly string[]>,
): Promise<Result> {
  const child = start('serve-child.ts', mutant, [name])
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const first = await lines.next()
  if (first.done) throw new Error(`${name} does not start`)
  const begun = performance.now()
  try {
    const problems = await use(JSON.parse(first.value))
    const seconds = (performance.now() - begun) / 1000
    child.kill('SIGTERM')
    const last = await lines.next()
    return { problems, requests: last.done ? 0 : JSON.parse(last.value).requests, seconds }
  } finally {
    child.kill('SIGKILL')
  }
}

function start(file: string, mutant: string | undefined, args: readonly string[]) {
  const env = { ...process.env, ...(mutant && { __STRYKER_ACTIVE_MUTANT__: mutant }) }
  const preload = join(import.meta.dirname, 'redirect.ts')
  return spawn(process.execPath, ['--import', preload, join(import.meta.dirname, file), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}
