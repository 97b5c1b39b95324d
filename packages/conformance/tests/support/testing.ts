/** What the mutants need of the suite, besides its public interface. Not published. */
export { probes } from '../../src/checks/probes/probes.ts'
export { isImported } from '../../src/checks/resources.ts'
export { variablesOf } from '../../src/recording/redact.ts'
export { openNotes } from '../../src/runner/notes.ts'
export { planOf } from '../../src/runner/plan.ts'
export { withholdOnLive } from '../../src/runner/withhold.ts'
export { type LiveRun, type LiveRunOptions, runLive, type World } from './live-run.ts'
