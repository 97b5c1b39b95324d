import type { CheckResult } from '../report/model.ts'
import type { KnownFailure } from './known-failing-list.ts'

/**
 * Marks expected failures. The list must shrink over time: it is an error if the checks of an entry pass, or if no check
 * matches an entry. An entry is ignored if its checks did not run or ended in an error.
 *
 * @param isKnown whether the suite has a check or requirement with this id, even if this run does not include the check
 * @returns the checks, and an error for each entry to remove
 */
export function applyKnownFailures(
  checks: readonly CheckResult[],
  list: readonly KnownFailure[],
  isKnown: (id: string) => boolean,
): CheckResult[] {
  const marked = checks.map((check) => {
    const entry = check.outcome === 'fail' ? list.find((candidate) => matches(check, candidate)) : undefined
    return entry ? { ...check, expectedFailure: entry.reason } : check
  })
  return [...marked, ...list.flatMap((entry) => stale(entry, checks, isKnown))]
}

function matches({ id, requirements }: CheckResult, entry: KnownFailure): boolean {
  return id === entry.id || requirements.includes(entry.id)
}

function stale(entry: KnownFailure, checks: readonly CheckResult[], isKnown: (id: string) => boolean): CheckResult[] {
  const matching = checks.filter((check) => matches(check, entry))
  if (matching.length === 0 && !isKnown(entry.id)) {
    return [toError(entry, 'is on the list of expected failures and is neither a check nor a requirement: remove it')]
  }
  const isPassed = matching.some(({ outcome }) => outcome === 'pass')
  if (!isPassed || matching.some(({ outcome }) => outcome === 'fail' || outcome === 'error')) return []
  return [toError(entry, 'is on the list of expected failures and passes: remove it')]
}

function toError({ id }: KnownFailure, what: string): CheckResult {
  return {
    id: `known-failing/${id}`,
    requirements: [],
    source: 'supplement',
    basis: 'supplement',
    effect: 'read',
    outcome: 'error',
    durationMs: 0,
    requests: 0,
    message: `${id} ${what}`,
  }
}
