import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')

/** The environment of programs that read contracts: without credentials and settings of the user. */
export const toolEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  TMPDIR: tmpdir(),
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

/**
 * Runs a program that reads contracts.
 *
 * @param args its file and arguments
 * @param folder working directory
 * @returns output and exit code, even if the program fails
 * @throws Error if the process cannot be started or is killed
 */
export function runTool(
  args: readonly string[],
  folder: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: toolEnvironment, maxBuffer: 1 << 26 }
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0
      if (typeof code === 'number') resolve({ code, stdout, stderr })
      else reject(error)
    })
  })
}

/**
 * Runs Redocly's command line without telemetry. Redocly has no programming interface.
 *
 * @param args command and options, for example `['lint', '--format', 'json']`
 * @param folder working directory, with the `redocly.yaml` to use
 * @returns output and exit code, even if Redocly has findings
 */
export function redocly(args: readonly string[], folder: string): ReturnType<typeof runTool> {
  return runTool([cli, ...args], folder)
}

/** Creates an empty folder, which is removed at the end of the scope: `await using scratch = await createScratch()`. */
export function createScratch() {
  return mkdtempDisposable(join(tmpdir(), 'specs-'))
}
