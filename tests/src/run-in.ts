/** Runs of Node in a copy of the repository. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  /** Both streams, for the message of a test that failed. */
  readonly output: string
}

/**
 * Runs a script to its end.
 *
 * @param copy the copy of the repository
 * @param folder where in it
 * @param args the script and its arguments; `--input-type=module --eval TEXT` for one of the test's own
 * @param env beside the variables of this process
 */
export function runIn(copy: string, folder: string, args: readonly string[], env: Record<string, string> = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(copy, folder),
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', ...env },
    maxBuffer: 1 << 27,
  })
  return { code: status, stdout, output: stdout + stderr }
}

/** What `evaluate` runs: a module that prints one JSON value as its last line. */
export function evaluate(copy: string, folder: string, script: string): unknown {
  const { code, stdout, output } = runIn(copy, folder, ['--input-type=module', '--eval', script])
  if (code !== 0) throw new Error(output)
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}

/** Starts a program that prints one JSON line when it is ready, and goes on. */
export async function startIn(copy: string, folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: join(copy, folder), stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = once(createInterface({ input: child.stdout }), 'line')
  const [line] = await Promise.race([ready, once(child, 'exit').then(() => ['{}'])])
  return { ready: JSON.parse(String(line)) as Record<string, unknown>, stop: () => void child.kill() }
}

/** Prism on the management contract of the copy, as the suite's target `mock` serves it. */
export function startMock(copy: string) {
  const script = `
    import { readPrismOperations, servePrism } from '@cdn/conformance/prism'
    const { url } = await servePrism(await readPrismOperations('management', 'full'))
    console.log(JSON.stringify({ url }))`
  return startIn(copy, 'tests', ['--input-type=module', '--eval', script])
}

/** The compiler on single files, with the settings of the repository. */
export function compile(copy: string, files: readonly string[], write: (file: string, text: string) => void): string {
  const compilerOptions = { types: ['node'], typeRoots: ['tests/node_modules/@types'] }
  write('tsconfig.programs.json', JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files }))
  return runIn(copy, '.', ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.programs.json']).output
}

/**
 * Runs the laws of operations on the emulator of the copy, in process.
 *
 * @param names `x-name`s
 * @returns how many checks ended in which way, and the reasons of those that did not pass
 */
export function runLaws(copy: string, names: readonly string[]) {
  return evaluate(
    copy,
    'tests',
    `
    import { createEmulator } from '@cdn/emulator'
    import { createPlan, runCheck, sessionOn } from '@cdn/conformance'
    const names = ${JSON.stringify(names)}
    const checks = createPlan().checks.filter(({ id }) => id.split(/[./]/).some((part) => names.includes(part)))
    const { signal } = new AbortController()
    const outcomes = {}
    const messages = new Set()
    for (const check of checks) {
      const { result } = await runCheck(check, sessionOn(await createEmulator()), { signal })
      outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1
      if (result.message) messages.add(result.message)
    }
    console.log(JSON.stringify({ outcomes, messages: [...messages] }))`,
  ) as { outcomes: Record<string, number>; messages: string[] }
}
