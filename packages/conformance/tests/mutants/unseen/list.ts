import type { ServerMutant } from '../mutant.ts'
import { unseenAccess } from './access.ts'
import { unseenFiles, unseenResponses } from './files.ts'
import { unseenFilters } from './filters.ts'
import { unseenManagement } from './management.ts'
import { unseenLimits, unseenMemory } from './memory.ts'
import { unseenPages } from './pages.ts'

/**
 * Mutants derived from the specification alone, independent of the checks. They measure what the suite detects beyond the mistakes
 * that its checks are written against. No check is required to kill them, so they are not in the matrix. Each mutant breaks one
 * sentence in few requests: in a combination, on a boundary, with odd input, or after other requests.
 */
export const unseenMutants: readonly ServerMutant[] = [
  ...unseenPages,
  ...unseenFilters,
  ...unseenFiles,
  ...unseenResponses,
  ...unseenMemory,
  ...unseenLimits,
  ...unseenAccess,
  ...unseenManagement,
]
