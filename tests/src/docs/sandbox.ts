/** A copy of the repository in which the commands of a page run: `pnpm X`, `npx`, `npm`, `cdn` and the other programs. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { copyRepository } from '../copy.ts'

export interface Sandbox {
  readonly folder: string
  /** Runs a shell script there, where it calls the platform with an emulator of the copy behind the `CDN_*` variables. */
  run(script: string): Promise<{ readonly code: number; readonly output: string }>
  write(file: string, text: string): void
  read(file: string): string
  close(): void
}

/**
 * Makes a sandbox. Nothing is installed in it: its `node_modules` are those of the repository, and its `pnpm` runs the scripts
 * of package.json by itself.
 */
export function createSandbox(): Sandbox {
  const folder = copyRepository()
  // A history of one commit, for what compares with an earlier state.
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

/** A block that takes longer than this, in milliseconds, goes on for ever. */
const patienceMs = 90_000

/** Runs a script with all that it starts in a group of its own, which ends with it. */
async function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  const shell = spawn('bash', ['-eu', '-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => process.kill(-Number(shell.pid), 'SIGKILL'), patienceMs)
  const parts: Buffer[] = []
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part: Buffer) => parts.push(part))
  const [code] = (await once(shell, 'close')) as [number | null]
  clearTimeout(timer)
  return { code: code ?? 130, output: Buffer.concat(parts).toString() }
}

/** Programs by name. What would install, or run all tests once more, is replaced by what it comes down to. */
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

/** Starts the emulator of the copy, as it is at this moment. */
async function startEmulator(folder: string): Promise<{ env: Record<string, string>; stop(): void }> {
  const program = join(folder, 'packages/emulator/src/bin.ts')
  const child = spawn(process.execPath, [program, '--json', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).once('line', resolve)
  child.once('exit', () => reject(new Error('the emulator of the sandbox did not start')))
  const ready = JSON.parse(await promise) as {
    managementUrl: string
    loggingUrl: string
    fixtures: object
    env: Record<string, string>
  }
  const { managementUrl, loggingUrl, fixtures, env } = ready
  writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures))
  return {
    env: {
      ...env,
      CDN_MANAGEMENT_URL: managementUrl,
      CDN_LOGGING_URL: loggingUrl,
      CDN_FIXTURES: join(folder, 'fixtures.json'),
    },
    stop: () => child.kill(),
  }
}
