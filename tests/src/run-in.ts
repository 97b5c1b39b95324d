/** Runs Node in a copy of the repository. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { defined } from '@cdn/kit/defined'

export interface Ran {
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
export function runIn(copy: string, folder: string, args: readonly string[], env: Record<string, string> = {}): Ran {
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
  return JSON.parse(defined(stdout.trimEnd().split('\n').at(-1)))
}

/** Starts a program that prints one JSON line when it is ready and keeps running. */
export async function startIn(copy: string, folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: join(copy, folder), stdio: ['ignore', 'pipe', 'inherit'] })
  const printed = once(createInterface({ input: child.stdout }), 'line')
  const [line] = await Promise.race([printed, once(child, 'exit').then(() => ['{}'])])
  const ready: Record<string, unknown> = JSON.parse(String(line))
  return { ready, stop: () => void child.kill() }
}

/** Compiles single files with the settings of the repository. Returns the compiler's output. */
export function compile(copy: string, files: readonly string[], write: (file: string, text: string) => void): string {
  const compilerOptions = { types: ['node'], typeRoots: ['tests/node_modules/@types'] }
  write('tsconfig.programs.json', JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files }))
  return runIn(copy, '.', ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.programs.json']).output
}

/** Result of `runContractChecks`. */
export interface ContractChecksRun {
  readonly outcomes: Readonly<Record<string, number>>
  readonly checks: readonly { readonly id: string; readonly outcome: string; readonly message?: string }[]
  readonly requirements: readonly {
    readonly id: string
    readonly outcome: string
    readonly section: string
    readonly source: string
  }[]
  readonly page: string
}

/**
 * Runs the contract checks of operations with the modules of the copy. Each check has a new emulator, without a network.
 *
 * @param names `x-name`s, or other parts of the ids of checks
 */
export function runContractChecks(copy: string, names: readonly string[]): ContractChecksRun {
  return evaluate(
    copy,
    'tests',
    `
    import { createEmulator } from '@cdn/emulator'
    import { createPlan, runCheck, sessionOn, toHtml } from '@cdn/conformance'
    import { assembleReport } from '../packages/conformance/src/verdict/assemble.ts'
    const names = ${JSON.stringify(names)}
    const isNamed = ({ id }) => id.split(/[./]/).some((part) => names.includes(part))
    const whole = createPlan()
    const plan = { ...whole, checks: whole.checks.filter(isNamed), requirements: whole.requirements.filter(isNamed) }
    const { signal } = new AbortController()
    const outcomes = {}
    const runs = []
    for (const check of plan.checks) {
      const run = await runCheck(check, sessionOn(await createEmulator()), { signal })
      outcomes[run.result.outcome] = (outcomes[run.result.outcome] ?? 0) + 1
      runs.push(run)
    }
    const facts = { startedAt: new Date().toISOString(), durationMs: 0, status: 'complete', target: { kind: 'emulator' } }
    const report = assembleReport({ plan, runs, ...facts })
    console.log(JSON.stringify({ outcomes, checks: report.checks, requirements: report.requirements, page: toHtml(report) }))`,
  )
}
