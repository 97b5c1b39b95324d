/** A copy of the repository that runs the commands of a page: `pnpm X`, `npx`, `npm`, `cdn` and the other programs. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copyRepository } from '../copy-repository.ts'
import { startEmulator } from '../run-in-copy.ts'

export interface Sandbox {
  readonly folder: string
  /**
   * Runs a shell script in the copy. If its text shows that it may call the platform, the `CDN_*` variables refer to an emulator
   * that runs from the copy.
   */
  run(script: string): Promise<{ readonly code: number; readonly output: string }>
  write(file: string, text: string): void
  read(file: string): string
  close(): void
}

/**
 * Creates a sandbox. It uses the `node_modules` of the repository, so nothing is installed. Its own `pnpm` (`pnpm.ts`) runs the
 * scripts of package.json.
 */
export function createSandbox(): Sandbox {
  const folder = copyRepository()
  // The copy gets a history of one commit, for commands that compare with an earlier state. Changesets are removed, as after a
  // release.
  for (const name of readdirSync(join(folder, '.changeset')))
    if (name.endsWith('.md') && name !== 'README.md') rmSync(join(folder, '.changeset', name))
  const git = ['-c', 'user.name=docs', '-c', 'user.email=docs@conformance.invalid']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...git, 'commit', '-qm', 'As it is'],
  ])
    execFileSync('git', args, { cwd: folder })
  const bin = mkdtempSync(join(tmpdir(), 'programs-'))
  for (const [name, text] of Object.entries(programs(folder))) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(':')
  const env = {
    ...process.env,
    PATH: path,
    NO_COLOR: '1',
    BASH_ENV: '',
    REDOCLY_TELEMETRY: 'off',
    TURBO_TELEMETRY_DISABLED: '1',
  }
  return {
    folder,
    async run(script) {
      const emulator = /cdn|CDN_|curl|--target live|node /.test(script) ? await startEmulator(folder) : undefined
      try {
        return await runShell(script, folder, { ...env, ...emulator?.env })
      } finally {
        emulator?.stop()
      }
    },
    write(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    close() {
      rmSync(folder, { recursive: true, force: true })
      rmSync(bin, { recursive: true, force: true })
    },
  }
}

/** Runs a script and its child processes in a separate process group, and kills the group after 10 minutes. */
async function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  const shell = spawn('bash', ['-eu', '-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => process.kill(-Number(shell.pid), 'SIGKILL'), 600_000)
  const parts: Buffer[] = []
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part: Buffer) => parts.push(part))
  const [code]: (number | null)[] = await once(shell, 'close')
  clearTimeout(timer)
  return { code: code ?? 130, output: Buffer.concat(parts).toString() }
}

/** Returns shell programs by name. Direct equivalents replace commands that would install packages or run all tests again. */
function programs(folder: string): Record<string, string> {
  const node = `"${process.execPath}"`
  const script = `exec ${node} "${join(import.meta.dirname, 'pnpm.ts')}" "${folder}" "$@"`
  const run = (file: string) => `exec ${node} "${join(folder, file)}" "$@"`
  return {
    pnpm: script,
    npx: `[ "$1" = --yes ] && shift\ncase "$1" in pnpm@*) shift;; *) echo "npx $1 is not known here" >&2; exit 9;; esac\n${script}`,
    npm: `case "$1" in start|test) set -- "$1";; install) exit 0;; *) exit 9;; esac\n${script}`,
    cdn: run('apps/cli/src/bin.ts'),
    'cdn-logs-exporter': run('apps/logs-exporter/src/bin.ts'),
    'cdn-emulator': run('packages/emulator/src/bin.ts'),
    'cdn-conformance': run('packages/conformance/src/bin.ts'),
  }
}
