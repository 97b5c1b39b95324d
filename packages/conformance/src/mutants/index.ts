/** Servers with one mistake each, for those who measure what a suite catches. */
export { mutants } from './all.ts'
export type { Mutant } from './mutant.ts'
