/** The table by hand: every fact of the source document, each with its section and the place where the contract states it. */
import type { Fact } from './facts/fact.ts'
import { loggingFacts, managementFacts } from './facts/operations.ts'
import { notShownFacts, requirementFacts } from './facts/requirements.ts'

export const table: readonly Fact[] = [
  ...managementFacts,
  ...loggingFacts,
  ...requirementFacts,
  ...notShownFacts,
  // From here on one file an area: `pnpm new-area` writes it.
]
