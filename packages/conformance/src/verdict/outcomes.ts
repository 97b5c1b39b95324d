/** The outcome of a requirement, which follows from the outcomes of its checks. */

import type { CheckResult, Outcome, Report, RequirementResult } from '../exchange/report-model.ts'

/** The result of a requirement in a report: an outcome, or `unchecked` if no check can observe the requirement. */
export type ShownOutcome = Outcome | 'unchecked'

/** Mark and word of each outcome, so that its meaning never depends on colour. */
export const marks: Readonly<Record<ShownOutcome, { readonly mark: string; readonly word: string }>> = {
  fail: { mark: '✕', word: 'broken' },
  error: { mark: '!', word: 'error' },
  pass: { mark: '✓', word: 'holds' },
  skip: { mark: '–', word: 'undecided' },
  unchecked: { mark: '○', word: 'unchecked' },
}

const severity: readonly Outcome[] = ['fail', 'error', 'pass', 'skip']

/**
 * Returns the first of fail, error, pass and skip that is among the outcomes.
 *
 * @returns `undefined` for an empty list
 */
export function rollUp(outcomes: readonly Outcome[]): Outcome | undefined {
  return severity.find((outcome) => outcomes.includes(outcome))
}

/**
 * Decides a requirement by its checks. It is undecided if a check of it could not send anything or was masked by a cause,
 * even if other checks passed. A requirement with parts (both versions, both schemes, several operations) passes only if a check of each
 * part passed.
 *
 * @param parts all parts of the requirement, including parts without a check in this run
 * @returns the outcome, and the reason if the requirement is undecided
 */
export function requirementOutcome(
  checks: readonly CheckResult[],
  parts: readonly string[] = [],
): Pick<RequirementResult, 'outcome' | 'reason'> {
  const outcome = rollUp(checks.map((check) => check.outcome))
  if (outcome === undefined) return {}
  if (outcome === 'fail') return { outcome }
  if (outcome === 'error') return undecided(checks.filter((check) => check.outcome === 'error'))
  const open = parts.filter((part) => !checks.some((one) => one.part === part && one.outcome === 'pass'))
  if (open.length > 0) {
    const left = checks.filter(({ part, outcome }) => part !== undefined && open.includes(part) && outcome !== 'pass')
    return undecided(left)
  }
  if (outcome !== 'pass') return undecided(checks)
  const isUnsent = ({ requests, shared, cause }: CheckResult) => (requests === 0 && !shared) || cause !== undefined
  const unsent = checks.filter((check) => check.outcome !== 'pass' && isUnsent(check))
  return unsent.length > 0 ? undecided(unsent) : { outcome }
}

/**
 * Whether a requirement is undecided only because of checks that a run leaves out by design: they run on another day, or need a
 * virtual clock.
 */
export function isDeferred(checks: readonly CheckResult[], parts: readonly string[] = []): boolean {
  const due = checks.filter(({ deferred }) => !deferred)
  const isOf = (part: string) => (check: CheckResult) => check.part === part
  // A part without any check stays undecided.
  const left = parts.filter((part) => due.some(isOf(part)) || !checks.some(isOf(part)))
  const isDecided = due.length === 0 ? left.length === 0 : requirementOutcome(due, left).outcome === 'pass'
  return due.length < checks.length && isDecided && requirementOutcome(checks, parts).outcome !== 'pass'
}

/** Whether a requirement is undecided only because the run withholds checks: nothing is wrong with the target or the run. */
export function isByDesign(checks: readonly CheckResult[]): boolean {
  const open = checks.filter(({ outcome }) => outcome !== 'pass')
  return open.length > 0 && open.every(({ withheld }) => withheld)
}

/** Returns the outcome of checks that did not pass, and the first reason. Checks that this run should decide come before deferred ones. */
function undecided(checks: readonly CheckResult[]): { readonly outcome: Outcome; readonly reason: string } {
  const reasons = checks.filter(({ outcome }) => outcome !== 'pass').toSorted((a, b) => +!!a.deferred - +!!b.deferred)
  const reason = reasons.find(({ message }) => message !== undefined)?.message ?? 'no check of this run covers it'
  return { outcome: rollUp(reasons.map(({ outcome }) => outcome)) ?? 'skip', reason }
}

/**
 * Returns what a report shows for a requirement.
 *
 * An exchange may break a requirement that no check can observe, for example by a 500 with an invalid body. Such a
 * requirement then has an outcome. A checkable requirement that no check covered counts as skipped, never as passed.
 */
export function shownOutcome(requirement: RequirementResult): ShownOutcome {
  return requirement.outcome ?? (requirement.unchecked === undefined ? 'skip' : 'unchecked')
}

/** Whether a requirement can be checked, but neither passed nor failed in this run. */
export function isUndecided(requirement: RequirementResult): boolean {
  return ['skip', 'error'].includes(shownOutcome(requirement))
}

/** Whether a requirement of `--require` is missing: it is undecided, and not only because of deferred checks. */
export function isMissing(requirement: RequirementResult): boolean {
  return isUndecided(requirement) && !requirement.deferred
}

/** Groups the undecided requirements by reason, the most frequent reason first. */
export function undecidedByReason({
  requirements,
}: Pick<Report, 'requirements'>): [reason: string, ids: readonly string[]][] {
  const open = requirements.filter(isUndecided)
  return [...Map.groupBy(open, ({ reason }) => reason ?? 'no reason given')]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, members]) => [reason, members.map(({ id }) => id)])
}
