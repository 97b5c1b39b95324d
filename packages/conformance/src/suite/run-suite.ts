import { dirname, join } from 'node:path'
import { type Reporter, startVitest } from 'vitest/node'
import type { CheckRun } from '../run-check.ts'
import type { RunConfig } from './run-config.ts'

/** What vitest brought back. */
export interface SuiteRun {
  readonly runs: readonly CheckRun[]
  /** Faults of the suite itself, outside any check; none in a healthy run. */
  readonly faults: readonly string[]
}

/**
 * Runs the checks of a configuration under vitest.
 *
 * @param onRun called as each check ends
 */
export async function runSuite(config: RunConfig, onRun: (run: CheckRun) => void = () => {}): Promise<SuiteRun> {
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
      const { errors } = testCase.result()
      faults.push(`${testCase.name}: ${errors?.[0]?.message ?? 'ended without a result'}`)
    },
    onTestRunEnd(modules, errors) {
      faults.push(...errors.map(({ message }) => message))
      for (const module of modules) faults.push(...module.errors().map(({ message }) => message))
    },
  }
  // vitest exits on its own at a signal, before a report could be written; the caller decides what a signal means.
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const)
  const vitest = await startVitest(
    'test',
    [],
    {
      config: false,
      root: packageFolder,
      include: ['src/suite/checks.suite.ts'],
      watch: false,
      pool: 'threads',
      maxConcurrency: 8,
      testTimeout: 600_000,
      hookTimeout: 60_000,
      reporters: [reporter],
      provide: { run: config },
    },
    { clearScreen: false, logLevel: 'silent' },
  )
  for (const [signal, before] of listeners) {
    for (const listener of process.listeners(signal)) if (!before.includes(listener)) process.off(signal, listener)
  }
  await vitest.close()
  // A failed check is a result, not a fault of the process.
  process.exitCode = undefined
  return { runs, faults }
}

const signals = ['SIGINT', 'SIGTERM'] as const
const packageFolder = join(dirname(import.meta.dirname), '..')
