import type { Schemas } from '../gen/schemas.ts'
import type { CheckResult } from '../report/model.ts'
import { SuiteConfigurationError } from '../run/failure.ts'
import { readJson } from '../run/read-json.ts'

/** A check, or a requirement with all its checks, that is expected to fail. */
export type ExpectedFailure = Schemas['ExpectedFailure']

/**
 * Reads a list of expected failures: a JSON array of `{"id", "reason"}`.
 *
 * @throws SuiteConfigurationError in one sentence: unreadable file, unknown key, missing reason, duplicate id
 */
export async function readExpectedFailures(file: string): Promise<readonly ExpectedFailure[]> {
  const list = await readJson(
    file,
    'list of expected failures',
    'ExpectedFailures',
    'the list is an array of {"id", "reason"}',
  )
  const twice = list.find(({ id }, index) => list.findIndex((other) => other.id === id) !== index)
  if (twice) throw new SuiteConfigurationError(`${file}: ${twice.id} is listed twice.`)
  return list
}

/**
 * Marks expected failures. The list must shrink over time: it is an error if the checks of an entry pass, or if no check
 * matches an entry. An entry is ignored if its checks did not run or ended in an error.
 *
 * @param isKnown whether the suite has a check or requirement with this id, even if this run does not include the check
 * @returns the checks, and an error for each entry to remove
 */
export function markExpectedFailures(
  checks: readonly CheckResult[],
  list: readonly ExpectedFailure[],
  isKnown: (id: string) => boolean,
): CheckResult[] {
  const marked = checks.map((check) => {
    const entry = check.outcome === 'fail' ? list.find((candidate) => matches(check, candidate)) : undefined
    return entry ? { ...check, expectedFailure: entry.reason } : check
  })
  const stale = list.flatMap((entry) => {
    const outcomes = checks.filter((check) => matches(check, entry)).map(({ outcome }) => outcome)
    const isPassed = outcomes.includes('pass') && !outcomes.includes('fail') && !outcomes.includes('error')
    const isUnknown = outcomes.length === 0 && !isKnown(entry.id)
    if (!isPassed && !isUnknown) return []
    const why = isUnknown ? 'is neither a check nor a requirement' : 'passes'
    const message = `${entry.id} is on the list of expected failures and ${why}: remove it`
    return suiteError(`known-failing/${entry.id}`, message)
  })
  return [...marked, ...stale]
}

function matches({ id, requirements }: CheckResult, entry: ExpectedFailure): boolean {
  return id === entry.id || requirements.includes(entry.id)
}

/** Makes a check in error for something that the suite itself reports. */
export function suiteError(id: string, message: string): CheckResult {
  const none = { requirements: [], source: 'supplement', basis: 'supplement', durationMs: 0, requests: 0 } as const
  return { id, ...none, effect: 'read', outcome: 'error', message }
}
