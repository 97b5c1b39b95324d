import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')

/** Output and exit code of Redocly's command line. */
export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
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
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [cli, ...args], { cwd: folder, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error ? error.code : 0
      if (typeof code === 'number') resolve({ code, stdout, stderr })
      else reject(error)
    })
  })
}
