import { createMockPlan } from '../mock/plan.ts'
import { createPlan, type Plan, select } from '../plan.ts'
import { probes } from '../probes/probes.ts'
import type { RunConfig } from './run-config.ts'

/** What a run looks at: the checks that are asked for, then the probes, which look at what the document does not show. */
export function planOf(config: RunConfig): Plan {
  if (config.target === 'mock') return createMockPlan()
  const { checks, requirements } = select(createPlan(), config)
  const ofDocument = config.ground === 'document' || config.through === 'document'
  return { checks: ofDocument ? checks : [...checks, ...probes], requirements }
}
