import { extname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createVitest, type Reporter } from 'vitest/node'
import type { CheckRun } from '../run-check.ts'
import type { RunConfig } from './run-config.ts'
import { withoutSignalHandlers } from './signals.ts'

/** What vitest brought back. */
export interface SuiteRun {
  readonly runs: readonly CheckRun[]
  /** Faults of the suite itself, outside any check; none in a healthy run. */
  readonly faults: readonly string[]
}

export interface SuiteOptions {
  /** Called as each check ends. */
  readonly onRun?: (run: CheckRun) => void
  /** Ends the checks; what they have brought so far is kept. */
  readonly signal: AbortSignal
}

/** So long an interrupted check has to take its writes back itself, in milliseconds; then its process is ended. */
const graceMs = 5_000

/**
 * Runs the checks of a configuration under vitest, in a process of their own: whatever happens to it, this one goes on.
 * When this settles, no check runs any more.
 */
export async function runSuite(config: RunConfig, { onRun = () => {}, signal }: SuiteOptions): Promise<SuiteRun> {
  const runs: CheckRun[] = []
  const faults: string[] = []
  const reporter: Reporter = {
    onTestCaseResult(testCase) {
      const { run } = testCase.meta()
      if (run) {
        runs.push(run)
        onRun(run)
        return
      }
      const { state, errors } = testCase.result()
      if (state !== 'skipped' && !signal.aborted)
        faults.push(`${testCase.name}: ${errors?.[0]?.message ?? 'ended without a result'}`)
    },
    onTestRunEnd(modules, errors) {
      faults.push(...errors.map(({ message }) => message))
      for (const module of modules) faults.push(...module.errors().map(({ message }) => message))
    },
  }
  const vitest = await withoutSignalHandlers(() => createVitest('test', optionsFor(config, reporter), quiet))
  const stop = () => void vitest.cancelCurrentRun('keyboard-input')
  signal.addEventListener('abort', stop, { once: true })
  const { promise: graceOver, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => void sleep(graceMs, undefined, { ref: false }).then(resolve), { once: true })
  try {
    if (!signal.aborted) await Promise.race([withoutSignalHandlers(() => vitest.start()), graceOver])
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
  }
  await vitest.close()
  // A failed check is a result, not a fault of the process.
  process.exitCode = undefined
  return { runs, faults: signal.aborted ? [] : faults }
}

const quiet = { clearScreen: false, logLevel: 'silent' } as const
const packageFolder = join(import.meta.dirname, '../..')
/** The suite as it runs here: TypeScript in the repository, JavaScript in the published package. */
const suiteFile = relative(packageFolder, join(import.meta.dirname, `checks.suite${extname(import.meta.url)}`))

function optionsFor(config: RunConfig, reporter: Reporter): NonNullable<Parameters<typeof createVitest>[1]> {
  return {
    config: false,
    root: packageFolder,
    include: [suiteFile],
    watch: false,
    pool: 'forks',
    maxConcurrency: 8,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    teardownTimeout: 2_000,
    reporters: [reporter],
    provide: { run: config },
  }
}
