import type { CheckSource } from '../core/check.ts'
import type { Report, RequirementResult } from './model.ts'
import { shownOutcome } from './outcomes.ts'

/** Whether a requirement can be checked, but neither passed nor failed in this run. */
export function isUndecided(requirement: RequirementResult): boolean {
  return ['skip', 'disabled', 'error'].includes(shownOutcome(requirement))
}

/** Groups the undecided requirements of one source by reason, the most frequent reason first. */
export function undecidedByReason(
  { requirements }: Pick<Report, 'requirements'>,
  source: CheckSource,
): [reason: string, members: readonly RequirementResult[]][] {
  const open = requirements.filter((requirement) => requirement.source === source && isUndecided(requirement))
  return [...Map.groupBy(open, ({ reason }) => reason ?? 'no reason given')].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )
}

/** Lists the undecided requirements of the spec, one line per reason. The page lists those of the supplement, too. */
export function undecidedLines(report: Report): string[] {
  return undecidedByReason(report, 'spec').map(
    ([reason, members]) => `${reason}: ${members.map(({ id }) => id).join(', ')}`,
  )
}
