/** The conformance suite as a library. Checks are values, and one function runs them. */

export { run } from './cli/run.ts'
export type { Check, CheckContext, Fixtures, RunCredentials, UndoStep } from './core/check.ts'
export { readFixtures } from './core/fixtures.ts'
export { type CheckPlan, createPlan, type Selection, select } from './core/plan.ts'
export { type CheckRun, runCheck } from './core/run-check.ts'
export * from './report/index.ts'
export { sessionOn } from './targets/in-process.ts'
