/** The result of a run: its counts, its exit code, and one sentence. */

import type { CheckResult, Report, ReportSummary, RequirementResult } from '../report/model.ts'
import { plural } from '../report/text.ts'
import type { CheckSource } from '../run/check.ts'
import { isMissing, isUndecided, marks, type Shown, shownOutcome } from './outcomes.ts'

/** Counts check results by outcome, and adds up their requests. */
export function countChecks(checks: readonly Pick<CheckResult, 'outcome' | 'requests'>[]): ReportSummary {
  const requests = checks.reduce((sum, check) => sum + check.requests, 0)
  return { ...countOutcomes(checks.map(({ outcome }) => outcome)), requests }
}

type Counts = Omit<ReportSummary, 'requests'>

function countOutcomes(outcomes: readonly Shown[]): Counts {
  const of = (outcome: Shown) => outcomes.filter((one) => one === outcome).length
  return { passed: of('pass'), failed: of('fail'), errors: of('error'), skipped: of('skip'), disabled: of('disabled') }
}

/** Lists the counts above zero, such as `58 passed, 1 failed, 2 skipped`. The list always includes `passed`. */
function listCounts({ passed, failed, errors, skipped, disabled }: Counts): string {
  const counts = { passed, failed, [errors === 1 ? 'error' : 'errors']: errors, skipped, disabled }
  return Object.entries(counts)
    .filter(([word, count]) => word === marks.pass.word || count > 0)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ')
}

/**
 * Describes the coverage in one sentence per source. For the mock, the sentences say that a mock never counts as
 * coverage.
 */
export function coverageLines({ requirements, constraints, target }: Report): string[] {
  const sources = ['spec', 'supplement', 'robustness'] as const
  if (target.kind === 'mock') {
    const { checkable, counts } = coverage(requirements, 'supplement')
    return [
      `Statements of the contract that were checked against the mock: ${checkable.length}: ${counts}.`,
      'The mock has no state, so its results are not counted as coverage of the spec.',
    ]
  }
  const lines = sources.flatMap((source) => {
    const { checkable, unchecked, counts } = coverage(requirements, source)
    if (checkable.length + unchecked === 0) return []
    const by = (basis: string) => checkable.filter((requirement) => requirement.basis === basis).length
    const split = ` (${by('spec')} through the spec alone, ${by('supplement')} through the supplement)`
    const cannot = unchecked > 0 ? ` ${unchecked} cannot be checked.` : ''
    const title = source === 'robustness' ? 'Robustness' : `Requirements of the ${source}`
    return `${title}: ${checkable.length} can be checked${source === 'spec' ? split : ''}: ${counts}.${cannot}`
  })
  const [broken, met] = [constraints.filter((one) => one.broken > 0), constraints.filter((one) => one.met > 0)]
  return constraints.length === 0
    ? lines
    : [...lines, `Constraints of requests: ${constraints.length}; ${broken.length} were broken and ${met.length} met.`]
}

/** Counts the requirements of one source. Those that no check can observe are not part of `checkable`. */
function coverage(requirements: readonly RequirementResult[], source: CheckSource) {
  const all = requirements.filter((requirement) => requirement.source === source)
  const checkable = all.filter((requirement) => shownOutcome(requirement) !== 'unchecked')
  return {
    checkable,
    unchecked: all.length - checkable.length,
    counts: listCounts(countOutcomes(checkable.map(shownOutcome))),
  }
}

/**
 * Returns the result of a whole run: exit code, outcome and one sentence. The exit code is 130 if the run was interrupted, 2 if it
 * crashed. Otherwise 1 if a check of a source in `failOn` failed unexpectedly, or if drift fails the run, or if a required requirement
 * is undecided although no check ended in an error. Otherwise 2 if a check ended in an error, or if nothing ran. Otherwise 0.
 */
export function resultOf(report: Omit<Report, 'exitCode'>) {
  const { summary, status, failOn, required = [], requirements, observations } = report
  const target = report.target.kind === 'live' ? 'live platform' : report.target.kind
  const counts = listCounts(summary)
  const unexpected = report.checks.filter(({ outcome, expectedFailure }) => outcome === 'fail' && !expectedFailure)
  const failed = unexpected.filter(({ source }) => failOn.includes(source))
  const result = (exitCode: number, sentence: string) => {
    const isFailed = exitCode === 1 || failed.length > 0
    return { exitCode, outcome: exitCode === 0 ? 'pass' : isFailed ? 'fail' : 'error', sentence } as const
  }
  if (status !== 'complete') {
    const [code, end] = status === 'crashed' ? [2, 'crashed'] : [130, 'was interrupted']
    return result(code, `The run against the ${target} ${end} before it was complete; until then: ${counts}.`)
  }
  if (failed.length > 0) {
    const broken = requirements.filter(({ id }) => failed.some((check) => check.requirements.includes(id)))
    const ofSpec = broken.filter(({ source }) => source === 'spec').length
    const what = `${plural(broken.length, 'requirement')} ${isOrAre(broken.length)} broken`
    const of = broken.length > 0 ? `, ${ofSpec} of the spec` : ''
    return result(1, `The ${target} does not conform: ${plural(failed.length, 'check')} failed and ${what}${of}.`)
  }
  const drifted = failOn.includes('drift') ? observations.filter(({ drift }) => drift).length : 0
  if (drifted > 0) {
    const differ = `${plural(drifted, 'observation')} ${drifted === 1 ? 'differs' : 'differ'}`
    return result(1, `The ${target} drifted: no check failed, but ${differ} from the baseline.`)
  }
  if (summary.errors > 0) {
    const what = `${plural(summary.errors, 'check')} ended in an error`
    return result(2, `The run against the ${target} is undecided: ${what} (${counts}).`)
  }
  const missing = requirements.filter((one) => required.includes(one.id) && isMissing(one)).length
  if (missing > 0) {
    const what = `${plural(missing, 'required requirement')} ${missing === 1 ? 'was' : 'were'} not decided`
    return result(1, `The ${target} shows no failure, but ${what} (${counts}).`)
  }
  if (summary.passed + summary.failed === 0)
    return result(2, `Nothing ran against the ${target}, so the result is unknown (${counts}).`)
  if (unexpected.length > 0) {
    const sources = [...new Set(unexpected.map(({ source }) => source))].join(' and ')
    const what = `${plural(unexpected.length, 'check')} of ${sources} failed`
    return result(0, `The ${target} does not contradict the spec, but ${what} (${counts}).`)
  }
  if (summary.failed > 0) {
    const what = `each of the ${plural(summary.failed, 'failed check')} is on the list of expected failures`
    return result(0, `The ${target} shows no new failure: ${what} (${counts}).`)
  }
  const ofSpec = requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
  const open = ofSpec.filter(isUndecided).length
  if (open === 0) return result(0, `The ${target} conforms: each check that ran passed (${counts}).`)
  const decided = `${ofSpec.length - open} of ${ofSpec.length} requirements of the spec`
  return result(0, `The ${target} conforms in ${decided}; ${open} ${isOrAre(open)} undecided (${counts}).`)
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
