import type { CheckResult, Outcome } from './model.ts'

/** The outcome of a requirement, and the reason if it is undecided. */
export interface Decision {
  readonly outcome?: Outcome
  readonly reason?: string
}

const severity: readonly Outcome[] = ['fail', 'error', 'pass', 'skip', 'disabled']

/**
 * Returns the first of fail, error, pass, skip and disabled that is among the outcomes.
 *
 * @returns `undefined` for an empty list
 */
export function rollUp(outcomes: readonly Outcome[]): Outcome | undefined {
  return severity.find((outcome) => outcomes.includes(outcome))
}

/**
 * Decides a requirement by its checks. It is undecided if a check of it could not send anything, even if other checks
 * passed. A requirement with parts (both versions, both schemes, several operations) passes only if a check of each part
 * passed.
 *
 * @param checks the checks of the requirement
 * @param parts all parts of the requirement, including parts without a check in this run
 */
export function decide(checks: readonly CheckResult[], parts: readonly string[] = []): Decision {
  const outcome = rollUp(checks.map((check) => check.outcome))
  if (outcome === undefined || outcome === 'fail') return outcome ? { outcome } : {}
  if (outcome === 'error') return { outcome, ...because(checks.filter((check) => check.outcome === 'error')) }
  const unsent = checks.filter(isUnsent)
  const missed = rollUp(unsent.map((check) => check.outcome))
  const open = parts.filter((part) => !checks.some((check) => check.part === part && check.outcome === 'pass'))
  if (outcome === 'pass' && open.length === 0) return missed ? { outcome: missed, ...because(unsent) } : { outcome }
  const [first] = open
  const rest = first === undefined ? checks : checks.filter(({ part }) => part !== undefined && open.includes(part))
  const missing = rollUp(rest.filter((check) => check.outcome !== 'pass').map((check) => check.outcome)) ?? 'skip'
  const { reason } = because(first === undefined ? checks : checks.filter(({ part }) => part === first))
  const what = open.length > 1 ? `${first} and ${open.length - 1} more` : first
  const text = reason ?? 'no check of this run covers it'
  return { outcome: missing === 'pass' ? 'skip' : missing, reason: first === undefined ? text : `${what}: ${text}` }
}

function isUnsent({ outcome, requests }: CheckResult): boolean {
  return (outcome === 'skip' || outcome === 'disabled') && requests === 0
}

/** Returns the first reason. Checks that were due in this run come before checks deferred to another day. */
function because(checks: readonly CheckResult[]): { readonly reason?: string } {
  const reasons = checks.filter(({ outcome }) => outcome !== 'pass').toSorted((a, b) => +!!a.deferred - +!!b.deferred)
  const reason = reasons.find(({ message }) => message !== undefined)?.message
  return reason === undefined ? {} : { reason }
}
