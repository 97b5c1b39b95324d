import type { Outcome, RequirementResult } from './model.ts'

/** What a report shows for a requirement: an outcome, or that no check can observe it. */
export type Shown = Outcome | 'unchecked'

/** Mark and word of each outcome, so that its meaning never depends on colour. In the order of reports: worst first. */
export const marks: Readonly<Record<Shown, { readonly mark: string; readonly word: string }>> = {
  fail: { mark: '✕', word: 'failed' },
  error: { mark: '!', word: 'error' },
  pass: { mark: '✓', word: 'passed' },
  skip: { mark: '–', word: 'skipped' },
  disabled: { mark: '∅', word: 'disabled' },
  unchecked: { mark: '○', word: 'unchecked' },
}

export const shownOutcomes = Object.keys(marks) as readonly Shown[] // the keys of the table are exact

/**
 * Returns what a report shows for a requirement.
 *
 * An exchange may break a requirement that no check can observe, for example by a 500 with an invalid body. Such a
 * requirement then has an outcome. A checkable requirement that no check covered counts as skipped, never as passed.
 */
export function shownOutcome(requirement: RequirementResult): Shown {
  return requirement.outcome ?? (requirement.unchecked === undefined ? 'skip' : 'unchecked')
}
