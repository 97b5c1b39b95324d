/** Runs Node in a copy of the repository. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { assertDefined } from '@cdn/kit/assert-defined'

export interface RunResult {
  readonly code: number | null
  readonly stdout: string
  readonly output: string
}

/**
 * Runs a script to its end.
 *
 * @param copy the copy of the repository
 * @param folder working directory in the copy
 * @param args the script and its arguments; `--input-type=module --eval TEXT` for inline code
 * @param env variables in addition to those of this process
 */
export function runIn(
  copy: string,
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
): RunResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(copy, folder),
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', ...env },
    maxBuffer: 1 << 27,
  })
  return { code: status, stdout, output: stdout + stderr }
}

/** Runs a module that prints one JSON value as its last line, and returns the value; the caller knows its type. */
export function evaluate<T>(copy: string, folder: string, script: string): T {
  const { code, stdout, output } = runIn(copy, folder, ['--input-type=module', '--eval', script])
  if (code !== 0) throw new Error(output)
  return JSON.parse(assertDefined(stdout.trimEnd().split('\n').at(-1)))
}

/** Starts the emulator of the copy. Returns the variables with which the programs use it, and writes its fixtures for the suite. */
export async function startEmulator(copy: string) {
  const args = ['packages/emulator/src/bin.ts', '--json', '--port', '0']
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] })
  const printed = once(createInterface({ input: child.stdout }), 'line')
  const [line] = await Promise.race([printed, once(child, 'exit').then(() => [])])
  if (line === undefined) throw new Error('the emulator of the copy did not start')
  const ready: { managementUrl: string; loggingUrl: string; fixtures: object; env: Record<string, string> } =
    JSON.parse(line)
  const fixtures = join(copy, 'fixtures.json')
  writeFileSync(fixtures, JSON.stringify(ready.fixtures))
  const urls = { CDN_MANAGEMENT_URL: ready.managementUrl, CDN_LOGGING_URL: ready.loggingUrl }
  return { env: { ...ready.env, ...urls, CDN_FIXTURES: fixtures }, stop: () => void child.kill() }
}

/** Compiles single files with the settings of the repository. Returns the compiler's output. */
export function compile(copy: string, files: readonly string[], write: (file: string, text: string) => void): string {
  const compilerOptions = { types: ['node'], typeRoots: ['tests/node_modules/@types'] }
  write('tsconfig.programs.json', JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files }))
  return runIn(copy, '.', ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.programs.json']).output
}
