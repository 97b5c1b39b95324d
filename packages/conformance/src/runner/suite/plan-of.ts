import { probes } from '../../checks/probes/probes.ts'
import { platformInterfaces } from '../../checks/resources.ts'
import { type CheckPlan, createPlan, select } from '../../core/plan.ts'
import { createMockPlan } from '../../targets/mock/plan.ts'
import type { RunConfig } from './run-config.ts'

/**
 * Returns the plan of a run: the selected checks, then the probes. A run of the mock has its own plan. By default, the
 * plan covers the interfaces of the spec, so that an imported contract never fails the toolkit's own runs.
 */
export function runPlan(config: RunConfig): CheckPlan {
  const { interfaces = platformInterfaces } = config
  if (config.target === 'mock') return createMockPlan(interfaces)
  const plan = createPlan()
  const ofDocument = config.source === 'spec' || config.basis === 'spec'
  return select({ ...plan, checks: ofDocument ? plan.checks : [...plan.checks, ...probes] }, { ...config, interfaces })
}
