import { probes } from '../../checks/probes/probes.ts'
import { type CheckPlan, createPlan, select } from '../../core/plan.ts'
import { createMockPlan } from '../../targets/mock/plan.ts'
import type { RunConfig } from './run-config.ts'

/** Returns the plan of a run: the selected checks, then the probes. A run of the mock has its own plan. */
export function runPlan(config: RunConfig): CheckPlan {
  if (config.target === 'mock') return createMockPlan()
  const { checks, ...rest } = select(createPlan(), config)
  const ofDocument = config.source === 'spec' || config.basis === 'spec'
  return { checks: ofDocument ? checks : [...checks, ...probes], ...rest }
}
