import type { Outcome, RequirementResult } from './model.ts'

/** What a requirement can show in a report: an outcome, or that no check can look at it. */
export type Shown = Outcome | 'unchecked'

/** How each outcome is marked; the mark and the word stand beside any colour. Worst first, as reports list them. */
export const marks: Readonly<Record<Shown, { readonly mark: string; readonly word: string }>> = {
  fail: { mark: '✕', word: 'failed' },
  error: { mark: '!', word: 'error' },
  pass: { mark: '✓', word: 'passed' },
  skip: { mark: '–', word: 'skipped' },
  disabled: { mark: '∅', word: 'disabled' },
  unchecked: { mark: '○', word: 'unchecked' },
}

export const shownOutcomes = Object.keys(marks) as readonly Shown[]

/**
 * What a report shows for a requirement.
 *
 * A requirement that no check can look at may still be broken by chance (a 500 of the wrong shape): then its outcome
 * wins. One that could be checked but that nothing looked at counts as skipped, never as passed.
 */
export function shownOutcome(requirement: RequirementResult): Shown {
  return requirement.outcome ?? (requirement.unchecked === undefined ? 'skip' : 'unchecked')
}
