/** The hand-written table of facts: every fact of the spec with its section and its place in the contract. */
import type { Fact } from './facts/fact.ts'
import { loggingFacts, managementFacts } from './facts/operations.ts'
import { requirementFacts, unspecifiedFacts } from './facts/requirements.ts'

export const tableOfFacts: readonly Fact[] = [
  ...managementFacts,
  ...loggingFacts,
  ...requirementFacts,
  ...unspecifiedFacts,
  // `pnpm new-area` adds one file per area below.
]
