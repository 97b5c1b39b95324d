import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
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
  /** Whether the requests are recorded for the replay. */
  readonly record?: true
}

/** A server that listens. */
export interface Served {
  readonly managementUrl: string
  readonly loggingUrl: string
  readonly fixtures: EmulatorFixtures
  /** A temporary folder for the files of a tool. */
  readonly folder: string
}

/** A tool of the duel. */
export interface Tool {
  readonly name: string
  readonly version: string
  /** Whether its reports quote the sentence of the spec. */
  readonly namesSentence: boolean
  /** Whether another run, with another seed if the tool has one, sends other requests. */
  readonly varies: boolean
  examine(subject: Subject, seed: number): Promise<Result>
}

/** Time that a tool has for one server, in ms. */
export const maxTimeMs = 600_000

/**
 * Runs a child of this folder and returns the last line that it prints, as JSON.
 *
 * @throws Error if it prints none in time
 */
export async function runChild(
  file: string,
  subject: Subject,
  args: readonly string[],
  limitMs: number = maxTimeMs,
): Promise<unknown> {
  const child = startChild(file, [...namesOf(subject), ...args])
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  let last = ''
  for await (const line of createInterface(child.stdout)) last = line
  clearTimeout(timer)
  if (!last.startsWith('{')) throw new Error(`${file} printed no result for ${subject.name}: ${last.slice(0, 200)}`)
  return JSON.parse(last)
}

/**
 * Serves a subject while `use` runs. Returns what `use` returns, and the number of requests and the duration.
 *
 * @param args more arguments of `serve-child.ts`
 */
export async function serve(
  subject: Subject,
  use: (served: Served) => Promise<readonly string[]>,
  args: readonly string[] = [],
): Promise<Result> {
  const child = startChild('serve-child.ts', [...namesOf(subject), ...args])
  const folder = await mkdtemp(join(tmpdir(), 'duel-'))
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const first = await lines.next()
    if (first.done) throw new Error(`${subject.name} does not start`)
    const begun = performance.now()
    const problems = await use({ ...JSON.parse(first.value), folder })
    const seconds = (performance.now() - begun) / 1000
    child.kill('SIGTERM')
    const last = await lines.next()
    return { problems: [...new Set(problems)], requests: last.done ? 0 : JSON.parse(last.value).requests, seconds }
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
}

/** Starts a child of this folder, with the instrumented emulator. */
export function startChild(file: string, args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  const preload = join(import.meta.dirname, 'redirect.ts')
  return spawn(process.execPath, ['--import', preload, join(import.meta.dirname, file), ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

/** Runs a program of another tool, silently, in its folder. */
export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const options = { cwd, env: { ...process.env, ...env }, stdio: 'ignore', timeout: maxTimeMs } as const
  await once(spawn(program, args, options), 'exit')
}

function namesOf({ name, mutant, record }: Subject): string[] {
  return [name, ...(mutant === undefined ? [] : [mutant]), ...(record ? ['--record'] : [])]
}
