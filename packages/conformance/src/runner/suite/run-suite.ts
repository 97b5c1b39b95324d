import { extname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createVitest, type Reporter } from 'vitest/node'
import type { CheckRun } from '../../core/run-check.ts'
import type { RunConfig } from './run-config.ts'
import { withoutSignalHandlers } from './without-signal-handlers.ts'

/** The results from vitest. */
export interface SuiteRun {
  readonly runs: readonly CheckRun[]
  /** Errors of the suite outside any check; a healthy run has none. */
  readonly faults: readonly string[]
}

export interface SuiteOptions {
  /** Called after each check. */
  readonly onRun?: (run: CheckRun) => void
  /** Ends the checks. The results so far are kept. */
  readonly signal: AbortSignal
}

/** Time for an interrupted check to undo its writes, in milliseconds. After this time, its process is killed. */
const graceMs = 5_000

/**
 * Runs the checks of a configuration under vitest, in a separate process, so that a crash does not end this process.
 * When the promise resolves, no check is running.
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
  // vitest sets an exit code for a failed test, but a failed check is not an error of this process.
  process.exitCode = undefined
  return { runs, faults: signal.aborted ? [] : faults }
}

const quiet = { clearScreen: false, logLevel: 'silent' } as const
const packageFolder = join(import.meta.dirname, '../../..')
/** The suite's file: TypeScript in the repository, JavaScript in the published package. */
const suiteFile = relative(packageFolder, join(import.meta.dirname, `checks.suite${extname(import.meta.url)}`))

function optionsFor(config: RunConfig, reporter: Reporter): NonNullable<Parameters<typeof createVitest>[1]> {
  return {
    config: false,
    root: packageFolder,
    include: [suiteFile],
    watch: false,
    pool: 'forks',
    // Checks of a live target wait for each other, so start all of them.
    maxConcurrency: config.target === 'live' ? 10_000 : 8,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    // vitest reports a worker that takes longer to end. On a busy machine, a healthy one can take seconds.
    teardownTimeout: 60_000,
    reporters: [reporter],
    provide: { run: config },
  }
}
