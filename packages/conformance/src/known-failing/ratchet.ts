import type { CheckResult } from '../report/model.ts'
import type { KnownFailure } from './list.ts'

/**
 * Marks the failures that are known. The list is a ratchet: an entry that passes, or that matches no check, is an error of
 * its own, so that no entry outlives its failure. One whose checks did not run, or ended in an error, says nothing yet.
 *
 * @param isKnown whether the suite has a check or requirement of that id at all, though it may not be part of this run
 * @returns the checks, and an error for each entry that has to go
 */
export function applyRatchet(
  checks: readonly CheckResult[],
  list: readonly KnownFailure[],
  isKnown: (id: string) => boolean,
): CheckResult[] {
  const marked = checks.map((check) => {
    const entry = check.outcome === 'fail' ? list.find((candidate) => matches(check, candidate)) : undefined
    return entry ? { ...check, known: entry.reason } : check
  })
  return [...marked, ...list.flatMap((entry) => stale(entry, checks, isKnown))]
}

function matches({ id, requirements }: CheckResult, entry: KnownFailure): boolean {
  return id === entry.id || requirements.includes(entry.id)
}

function stale(entry: KnownFailure, checks: readonly CheckResult[], isKnown: (id: string) => boolean): CheckResult[] {
  const own = checks.filter((check) => matches(check, entry))
  if (own.length === 0 && !isKnown(entry.id)) {
    return [toError(entry, 'is on the list of known failures and is neither a check nor a requirement: remove it')]
  }
  const isPassed = own.some(({ outcome }) => outcome === 'pass')
  if (!isPassed || own.some(({ outcome }) => outcome === 'fail' || outcome === 'error')) return []
  return [toError(entry, 'is on the list of known failures and passes: remove it')]
}

function toError({ id }: KnownFailure, what: string): CheckResult {
  return {
    id: `known-failing/${id}`,
    requirements: [],
    ground: 'supplement',
    through: 'supplement',
    effect: 'read',
    outcome: 'error',
    durationMs: 0,
    requests: 0,
    message: `${id} ${what}`,
  }
}
