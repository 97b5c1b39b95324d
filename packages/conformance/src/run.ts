import { ConfigurationError } from './failure.ts'
import { readFixtures } from './fixtures.ts'
import { createMockPlan } from './mock/plan.ts'
import type { RunOptions } from './options.ts'
import { createPlan, select } from './plan.ts'
import { preflight } from './preflight.ts'
import { assembleReport } from './report/assemble.ts'
import type { Report } from './report/model.ts'
import { runSuite } from './suite/run-suite.ts'

/**
 * Runs the suite against a target and puts the report together, without writing it.
 *
 * @throws ConfigurationError where the target cannot be reached, the fixtures are wrong, or nothing is selected
 */
export async function run({ config }: RunOptions): Promise<Report> {
  const startedAt = new Date()
  const plan = config.target === 'mock' ? createMockPlan() : select(createPlan(), config)
  if (plan.checks.length === 0)
    throw new ConfigurationError('Nothing is selected: no check has this ground and through.')
  const { managementUrl, loggingUrl, fixtures } = config
  if (managementUrl && loggingUrl && fixtures) {
    await readFixtures(fixtures, process.env)
    await preflight({ management: managementUrl, logging: loggingUrl })
  }
  const { runs, faults } = await runSuite(config)
  if (faults.length > 0) throw new Error(`The suite itself failed: ${faults[0]}`)
  return assembleReport({
    plan,
    runs,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    status: 'complete',
    target: { kind: config.target, ...(managementUrl && loggingUrl && { managementUrl, loggingUrl }) },
  })
}
