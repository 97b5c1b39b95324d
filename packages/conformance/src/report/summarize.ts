import type { Source } from '@cdn/api/contract'
import type { CheckSource } from '../core/check.ts'
import type { CheckResult, Outcome, Report, ReportSummary } from './model.ts'
import { marks, type Shown, shownOutcome } from './outcomes.ts'
import { isUndecided } from './undecided.ts'

/** Coverage of the requirements of one source. The five outcomes add up to `checkable`. */
export interface Coverage {
  readonly checkable: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
  readonly skipped: number
  readonly disabled: number
  /** Number of requirements that no check can observe. They are not part of `checkable`. */
  readonly unchecked: number
  /** Number of checkable requirements by basis. Requirements without a check are not counted here. */
  readonly byBasis: Readonly<Record<Source, number>>
}

/** The result of a whole run: its outcome, and one sentence. */
export interface RunResult {
  readonly outcome: 'pass' | 'fail' | 'error'
  readonly sentence: string
}

/** Counts check results by outcome, and adds up their requests. */
export function countChecks(checks: readonly Pick<CheckResult, 'outcome' | 'requests'>[]): ReportSummary {
  const of = (outcome: Outcome) => checks.filter((check) => check.outcome === outcome).length
  return {
    passed: of('pass'),
    failed: of('fail'),
    skipped: of('skip'),
    disabled: of('disabled'),
    errors: of('error'),
    requests: checks.reduce((sum, check) => sum + check.requests, 0),
  }
}

/** Counts the requirements of one source, by default the spec. */
export function coverage(report: Pick<Report, 'requirements'>, source: CheckSource = 'spec'): Coverage {
  const requirements = report.requirements.filter((requirement) => requirement.source === source)
  const of = (shown: Shown) => requirements.filter((requirement) => shownOutcome(requirement) === shown).length
  const unchecked = of('unchecked')
  const basis = (wanted: Source) =>
    requirements.filter((requirement) => shownOutcome(requirement) !== 'unchecked' && requirement.basis === wanted)
      .length
  return {
    checkable: requirements.length - unchecked,
    passed: of('pass'),
    failed: of('fail'),
    errors: of('error'),
    skipped: of('skip'),
    disabled: of('disabled'),
    unchecked,
    byBasis: { spec: basis('spec'), supplement: basis('supplement') },
  }
}

/**
 * Describes the coverage in one sentence per source. For the mock, the sentences say that a mock never counts as
 * coverage.
 */
export function coverageLines(report: Report): string[] {
  if (report.target.kind === 'mock') {
    const { checkable, unchecked: _, byBasis: __, ...counts } = coverage(report, 'supplement')
    return [
      `Statements of the contract that were checked against the mock: ${checkable}: ${listCounts(counts)}.`,
      'The mock has no state, so its results are not counted as coverage of the spec.',
    ]
  }
  const lines = (['spec', 'supplement', 'robustness'] as const).flatMap((source) => {
    const { checkable, unchecked, byBasis, ...counts } = coverage(report, source)
    if (checkable + unchecked === 0) return []
    const split =
      source === 'spec' ? ` (${byBasis.spec} through the spec alone, ${byBasis.supplement} through the supplement)` : ''
    const cannot = unchecked > 0 ? ` ${unchecked} cannot be checked.` : ''
    const title = source === 'robustness' ? 'Robustness' : `Requirements of the ${source}`
    return `${title}: ${checkable} can be checked${split}: ${listCounts(counts)}.${cannot}`
  })
  const { constraints } = report
  const [broken, met] = [constraints.filter((one) => one.broken > 0), constraints.filter((one) => one.met > 0)]
  return constraints.length === 0
    ? lines
    : [...lines, `Constraints of requests: ${constraints.length}; ${broken.length} were broken and ${met.length} met.`]
}

/** Whether a check failed, and no list expects it. */
export function isUnexpected({ outcome, expectedFailure }: CheckResult): boolean {
  return outcome === 'fail' && expectedFailure === undefined
}

/** Describes the result of a run in one sentence. */
export function resultSentence(report: Report): string {
  return resultOf(report).sentence
}

/**
 * Returns the result of a run, from its status, its counts and its exit code. The exit code also depends on expected
 * failures and drift.
 */
export function resultOf(report: Report): RunResult {
  const { summary, status, exitCode } = report
  const target = report.target.kind === 'live' ? 'live platform' : report.target.kind
  const counts = listCounts(summary)
  const unexpected = report.checks.filter(isUnexpected)
  const failed = unexpected.filter(({ source }) => report.failOn.includes(source))
  if (status !== 'complete') {
    const end = status === 'crashed' ? 'crashed' : 'was interrupted'
    const outcome = failed.length > 0 ? 'fail' : 'error'
    return { outcome, sentence: `The run against the ${target} ${end} before it was complete; until then: ${counts}.` }
  }
  if (failed.length > 0) {
    const ids = new Set(failed.flatMap(({ requirements }) => requirements))
    const broken = report.requirements.filter(({ id }) => ids.has(id))
    const documented = broken.filter(({ source }) => source === 'spec').length
    const of = broken.length > 0 ? `, ${documented} of the spec` : ''
    const sentence = `The ${target} does not conform: ${plural(failed.length, 'check')} failed and ${plural(broken.length, 'requirement')} ${broken.length === 1 ? 'is' : 'are'} broken${of}.`
    return { outcome: 'fail', sentence }
  }
  if (summary.errors > 0) {
    const sentence = `The run against the ${target} is undecided: ${plural(summary.errors, 'check')} ended in an error (${counts}).`
    return { outcome: 'error', sentence }
  }
  if (summary.passed + summary.failed === 0) {
    return { outcome: 'error', sentence: `Nothing ran against the ${target}, so the result is unknown (${counts}).` }
  }
  const drifted = report.observations.filter(({ drift }) => drift).length
  if (exitCode === 1 && drifted > 0) {
    const sentence = `The ${target} drifted: no check failed, but ${plural(drifted, 'observation')} ${drifted === 1 ? 'differs' : 'differ'} from the baseline.`
    return { outcome: 'fail', sentence }
  }
  const missing = report.requirements.filter(({ id }) => report.required?.includes(id)).filter(isUndecided)
  if (exitCode === 1 && missing.length > 0) {
    const sentence = `The ${target} shows no failure, but ${plural(missing.length, 'required requirement')} ${missing.length === 1 ? 'was' : 'were'} not decided (${counts}).`
    return { outcome: 'fail', sentence }
  }
  if (exitCode !== 0) {
    const sentence = `The run against the ${target} is undecided: it ended with exit code ${exitCode} for a reason other than its checks (${counts}).`
    return { outcome: 'error', sentence }
  }
  if (unexpected.length > 0) {
    const sources = new Set(unexpected.map(({ source }) => source))
    const sentence = `The ${target} does not contradict the spec, but ${plural(unexpected.length, 'check')} of ${[...sources].join(' and ')} failed (${counts}).`
    return { outcome: 'pass', sentence }
  }
  if (summary.failed > 0) {
    const sentence = `The ${target} shows no new failure: each of the ${plural(summary.failed, 'failed check')} is on the list of expected failures (${counts}).`
    return { outcome: 'pass', sentence }
  }
  return { outcome: 'pass', sentence: conforms(report, target, counts) }
}

/** Returns the sentence for a run without failures. If requirements are undecided, it says how many were decided. */
function conforms({ requirements }: Report, target: string, counts: string): string {
  const ofSpec = requirements.filter(({ source, unchecked }) => source === 'spec' && unchecked === undefined)
  const open = ofSpec.filter(isUndecided).length
  if (ofSpec.length === 0 || open === 0) return `The ${target} conforms: each check that ran passed (${counts}).`
  const decided = ofSpec.length - open
  return `The ${target} conforms in ${decided} of ${ofSpec.length} requirements of the spec; ${open} ${open === 1 ? 'is' : 'are'} undecided (${counts}).`
}

/** Lists the counts above zero, such as `58 passed, 1 failed, 2 skipped`. The list always includes `passed`. */
export function listCounts(counts: Omit<ReportSummary, 'requests'>): string {
  return (
    [
      [counts.passed, marks.pass.word],
      [counts.failed, marks.fail.word],
      [counts.errors, counts.errors === 1 ? 'error' : 'errors'],
      [counts.skipped, marks.skip.word],
      [counts.disabled, marks.disabled.word],
    ] as const
  )
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ')
}

/** Returns a number with its noun: `1 check`, `2 checks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
