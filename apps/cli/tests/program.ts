/** The program as it is shipped, in processes of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { buildCli } from '../scripts/build.ts'

const folder = join(import.meta.dirname, '../.vitest')
let built: Promise<string> | undefined
afterAll(async () => {
  if (built) await rm(dirname(await built), { recursive: true, force: true })
})

/** Builds the program once a test file. It lies within the package, so that it finds what is not bundled. */
export function buildProgram(): Promise<string> {
  built ??= (async () => {
    await mkdir(folder, { recursive: true })
    const outdir = await mkdtemp(join(folder, 'program-'))
    await buildCli(outdir)
    return join(outdir, 'bin.js')
  })()
  return built
}

export interface Home {
  /** An empty folder: working directory, home and place for temporary files. */
  readonly folder: string
  /** The environment of a shell there, with `cdn` on its path and nothing of the test's own variables. */
  readonly env: Record<string, string>
}

/** Makes a home that is removed when the test has ended. */
export async function createHome(env: Readonly<Record<string, string>> = {}): Promise<Home> {
  const home = await mkdtemp(join(tmpdir(), 'cdn-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const bin = join(home, 'bin')
  await mkdir(bin)
  await mkdir(join(home, 'tmp'))
  const program = await buildProgram()
  await writeFile(join(bin, 'cdn'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  const path = [bin, process.env['PATH']].join(delimiter)
  return { folder: home, env: { PATH: path, HOME: home, TMPDIR: join(home, 'tmp'), LANG: 'C.UTF-8', ...env } }
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * Runs a line of a POSIX shell.
 *
 * @param onOutput called with every piece that the line writes
 */
export function runShell(
  line: string,
  { folder: cwd, env }: Home,
  onOutput: (child: ChildProcess, text: string) => void = () => {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const texts = { out: '', err: '' }
    for (const [name, stream] of [
      ['out', child.stdout],
      ['err', child.stderr],
    ] as const) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text
        onOutput(child, text)
      })
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...texts }))
  })
}
