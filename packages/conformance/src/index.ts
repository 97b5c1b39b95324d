/** The conformance suite as a library: checks are values, and one function runs them. */
export type { Check, CheckContext, Credentials, Fixtures, UndoStep } from './check.ts'
export { readFixtures } from './fixtures.ts'
export { sessionOn } from './in-process.ts'
export { createPlan, type Plan, type Selection, select } from './plan.ts'
export * from './report/index.ts'
export { run } from './run.ts'
export { type CheckRun, runCheck } from './run-check.ts'
