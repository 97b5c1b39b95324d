/** Servers with one mistake each, to measure what a test suite detects. */
export { serverMutants } from './all.ts'
export type { ServerMutant } from './mutant.ts'
