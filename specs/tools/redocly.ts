import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')

/**
 * Runs Redocly's command line, without telemetry, and without credentials and settings of the user. Redocly has no programming
 * interface.
 *
 * @param args command and options, for example `['lint', '--format', 'json']`
 * @param folder working directory, with the `redocly.yaml` to use
 * @returns output and exit code, even if Redocly has findings
 * @throws Error if the process cannot be started or is killed
 */
export function redocly(
  args: readonly string[],
  folder: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const env = { PATH: process.env['PATH'], TMPDIR: tmpdir(), ...quiet }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [cli, ...args], { cwd: folder, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
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
