/** Compares a run with expectations: results that somebody knows already, each with the reason. */
import { isDeepStrictEqual } from 'node:util'
import { operations } from '@cdn/api/contract'
import { SuiteConfigurationError, wrong } from '../exchange/failure.ts'
import { readJson } from '../exchange/read-json.ts'
import type { Cause, CheckResult, Observation } from '../exchange/report-model.ts'
import { matchesPattern } from '../exchange/requirements.ts'
import type { Schemas } from '../gen/schemas.ts'

/** The expected result for the ids that match a pattern: `fails`, `flaky`, or `shows` with a value. */
export type Expectation = Schemas['Expectation']

/**
 * Reads a file of expectations.
 *
 * @throws SuiteConfigurationError in one sentence: unreadable file, unknown key, missing reason, duplicate id
 */
export async function readExpectations(file: string): Promise<readonly Expectation[]> {
  const hint = 'the file is an array of {"id", "is": "fails", "flaky" or "shows", "value" for "shows", "reason"}'
  const list = await readJson(file, 'file of expectations', 'Expectations', hint)
  const twice = list.find(
    ({ id, is }, index) => list.findIndex((other) => other.id === id && other.is === is) !== index,
  )
  if (twice) throw new SuiteConfigurationError(`${file}: ${twice.id} is listed twice.`)
  return list
}

/** Makes one check for each observation with a stated value. It fails if the target shows another value. */
export function statedObservations(list: readonly Expectation[], observations: readonly Observation[]): CheckResult[] {
  return observations.flatMap(({ id, value }): CheckResult[] => {
    const entry = list.find((one) => one.is === 'shows' && matchesPattern(one.id, id))
    if (!entry) return []
    const none = { requirements: [], basis: 'supplement', effect: 'read', durationMs: 0, requests: 0 } as const
    const facts = { id, source: 'unspecified', ...none } as const
    if (isDeepStrictEqual(value, entry.value)) return [{ ...facts, outcome: 'pass' }]
    const expected = { kind: 'value', text: JSON.stringify(entry.value) } as const
    const seen = wrong('the target shows another behaviour', { text: JSON.stringify(value) })
    return [{ ...facts, outcome: 'fail', evidence: { expected, seen, exchanges: [] } }]
  })
}

/** Adds the reason to each failure that an entry covers by the id of the cause, or whose checks are all covered by entries. */
export function withExpectedReasons(
  causes: readonly Cause[],
  checks: readonly CheckResult[],
  list: readonly Expectation[],
): Cause[] {
  const failures = list.filter(({ is }) => is !== 'shows')
  return causes.map((cause) => {
    const own = checks.filter(({ id }) => cause.checks.includes(id))
    const entries = own.map((check) => failures.find((entry) => matches(check, entry)))
    // The id of a cause of several operations names only the first of them.
    const isOfOne = !cause.operation.includes('*')
    const ofCause = isOfOne ? failures.find(({ id }) => matchesPattern(id, cause.id)) : undefined
    const entry = ofCause ?? (entries.every(Boolean) ? entries[0] : undefined)
    return entry && cause.outcome === 'fail' ? { ...cause, reason: entry.reason } : cause
  })
}

/**
 * Returns one sentence per entry to remove: an entry `fails` if one of its checks passed and no other one shows a cause, is masked or could
 * not send anything, and any entry that matches nothing.
 *
 * @param known ids of the suite, even of checks that this run does not include
 */
export function staleExpectations(
  list: readonly Expectation[],
  checks: readonly CheckResult[],
  known: readonly string[],
): string[] {
  return list.flatMap((entry) => {
    const { id, is } = entry
    const ownOf = (named: string) => checks.filter((check) => matches(check, { ...entry, id: named }))
    const [named] = [id, withoutEnd(id), withoutEnd(withoutEnd(id))].filter(
      (one) => ownOf(one).length > 0 || known.some((other) => matchesPattern(one, other)),
    )
    if (named === undefined)
      return [`The expectation ${id} matches no cause, requirement, check or observation: remove it.`]
    const own = ownOf(named)
    const outcomes = own.map(({ outcome }) => outcome)
    const isPassed = outcomes.includes('pass') && !own.some((check) => check.cause !== undefined || isUnsent(check))
    return is === 'fails' && isPassed ? [`The expectation ${id} says that it fails, and it passes: remove it.`] : []
  })
}

function isUnsent({ outcome, requests, shared, deferred }: CheckResult): boolean {
  return outcome === 'skip' && requests === 0 && !shared && !deferred
}

const endOfCause = new RegExp(`/(?:\\d+|${operations.map(({ name }) => name).join('|')})$`)

/** Removes the operation or the number that the id of a cause may have after a requirement. */
function withoutEnd(id: string): string {
  return id.replace(endOfCause, '')
}

function matches({ id, requirements }: CheckResult, entry: Expectation): boolean {
  return [id, ...requirements].some((one) => matchesPattern(entry.id, one))
}
