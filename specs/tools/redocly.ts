import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')

/** Output and exit code of Redocly's command line. */
export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The environment of programs that read contracts: without credentials and settings of the user. */
export const toolEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  TMPDIR: tmpdir(),
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

/**
 * Runs Redocly's command line without telemetry. Redocly has no programming interface.
 *
 * @param args command and options, for example `['lint', '--format', 'json']`
 * @param folder working directory, with the `redocly.yaml` to use
 * @returns output and exit code, even if Redocly has findings
 * @throws Error if the process cannot be started or is killed
 */
export function redocly(args: readonly string[], folder: string): Promise<Run> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: toolEnvironment, maxBuffer: 1 << 26 }
    execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      const code = error ? error.code : 0
      if (typeof code === 'number') resolve({ code, stdout, stderr })
      else reject(error)
    })
  })
}

/** Creates an empty folder, which is removed at the end of the scope: `await using scratch = await createScratch()`. */
export function createScratch() {
  return mkdtempDisposable(join(tmpdir(), 'specs-'))
}
