import type { Report, RequirementResult } from './model.ts'
import { shownOutcome } from './outcomes.ts'

/** Whether a requirement can be checked, but neither passed nor failed in this run. */
export function isUndecided(requirement: RequirementResult): boolean {
  return ['skip', 'disabled', 'error'].includes(shownOutcome(requirement))
}

/**
 * Lists the undecided requirements of the spec, one line per reason, the most frequent reason first. Empty for a mock,
 * because a mock decides nothing about the spec.
 */
export function undecidedLines({ requirements, target }: Report): string[] {
  if (target.kind === 'mock') return []
  const open = requirements.filter((requirement) => requirement.source === 'spec' && isUndecided(requirement))
  const byReason = Map.groupBy(open, ({ reason }) => reason ?? 'no reason given')
  return [...byReason]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, members]) => `${reason}: ${members.map(({ id }) => id).join(', ')}`)
}
