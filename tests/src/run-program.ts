/** Runs programs to their end, in processes of their own. */
import { execFile } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { repository } from './copy-repository.ts'

/** The exit code and the output of a program. */
export interface Ended {
  /** A signal if the program had to be killed. */
  readonly code: number | string | null
  readonly out: string
  readonly err: string
}

interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** The Node that `#!/usr/bin/env node` finds. */
  readonly node?: string
  /** Time in ms after which the program is killed; 3 minutes by default. */
  readonly maxMs?: number
}

function userEnv({ env = {}, node = process.execPath }: RunOptions): NodeJS.ProcessEnv {
  const PATH = [...(node === process.execPath ? [] : [dirname(node)]), process.env['PATH']].join(delimiter)
  return { PATH, NO_COLOR: '1', ...env }
}

export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { cwd, maxMs = 180_000 } = options
  const limits = { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: maxMs, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { ...limits, ...(cwd !== undefined && { cwd }), env: userEnv(options) },
      (error, out, err) => resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, out, err }),
    )
    child.stdin?.end()
  })
}

/** Runs a script in a folder, by default with the Node of this process. */
export function runScript(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run(options.node ?? process.execPath, args, { cwd, ...options })
}

/** Returns the arguments of Node that run the sources of a program. @param line its arguments, separated by blanks */
export function commandOf(folder: string, line: string): string[] {
  return [join(repository, folder, 'src/bin.ts'), ...line.split(' ')]
}
