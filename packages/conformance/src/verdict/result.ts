/** Computes the result of a run: its counts, its exit code, and one sentence. */
import { plural } from '@cdn/kit/plural'
import { minuteText, operationText } from '../exchange/format-text.ts'
import type { Cause, CheckResult, Outcome, Report, ReportSummary, RequirementResult } from '../exchange/report-model.ts'
import { isMissing, isUndecided, shownOutcome } from './outcomes.ts'

/** Counts check results by outcome, and adds up their requests. */
export function countChecks(checks: readonly Pick<CheckResult, 'outcome' | 'requests'>[]): ReportSummary {
  const of = (outcome: CheckResult['outcome']) => checks.filter((check) => check.outcome === outcome).length
  const requests = checks.reduce((sum, check) => sum + check.requests, 0)
  return { passed: of('pass'), failed: of('fail'), skipped: of('skip'), errors: of('error'), requests }
}

/** Numbers of sentences: all that can be checked, and those that hold, are broken or are undecided. */
export type Sentences = ReturnType<typeof countSentences>

/** Counts the sentences of some sources, by default of all, that a check can observe. */
export function countSentences(requirements: readonly RequirementResult[], sources?: readonly string[]) {
  const shown = requirements.filter(({ source }) => sources?.includes(source) ?? true).map(shownOutcome)
  const of = (outcome: string) => shown.filter((one) => one === outcome).length
  const all = shown.length - of('unchecked')
  return { all, hold: of('pass'), broken: of('fail'), undecided: all - of('pass') - of('fail') }
}

/** Returns the counts that are not 0 as texts, such as `1 broken` and `2 undecided`. */
export function openCounts({ broken, undecided }: Pick<Sentences, 'broken' | 'undecided'>): string[] {
  return [...(broken > 0 ? [`${broken} broken`] : []), ...(undecided > 0 ? [`${undecided} undecided`] : [])]
}

/** Returns one line per source, such as `Spec: 57 of 65 sentences hold, 3 are broken, 5 are undecided.`, and a single line for the mock. */
export function coverageLines({ requirements, target }: Pick<Report, 'requirements' | 'target'>): string[] {
  if (target.kind === 'mock') {
    const { all, hold } = countSentences(requirements, ['spec', 'supplement'])
    return [
      `Mock: ${hold} of ${all} statements of the contract hold. A mock has no state, so this is no coverage of the spec.`,
    ]
  }
  const titles = { spec: 'Spec', supplement: 'Supplement', robustness: 'Robustness' }
  return Object.entries(titles).flatMap(([source, title]) => {
    const { all, hold, broken, undecided } = countSentences(requirements, [source])
    const parts = [
      `${hold} of ${plural(all, 'sentence')} ${hold === 1 ? 'holds' : 'hold'}`,
      ...(broken > 0 ? [`${broken} ${isOrAre(broken)} broken`] : []),
      ...(undecided > 0 ? [`${undecided} ${isOrAre(undecided)} undecided`] : []),
    ]
    return all === 0 ? [] : [`${title}: ${parts.join(', ')}.`]
  })
}

interface Facts {
  readonly report: Omit<Report, 'exitCode'>
  /** The target in words, such as `live platform`. */
  readonly target: string
  /** The causes without an expectation that fail the run. `others` is the number of causes without an expectation that do not fail it. */
  readonly failing: readonly Cause[]
  readonly others: number
  readonly errors: readonly Cause[]
  readonly sentences: Sentences
}

/**
 * The possible results of a run: an exit code, and a function that returns the sentence if the result applies. The first one that applies
 * counts. A run that ended early comes first, then a failed, an undecided and a conformant one.
 */
const verdicts: readonly (readonly [exitCode: number, sentence: (facts: Facts) => string | false | undefined])[] = [
  [
    2,
    ({ report: { status, problems = [] } }) =>
      status === 'not-started' && `No check ran: ${problems[0] ?? 'the run was interrupted.'}`,
  ],
  // Stays true if the run is killed, and this is its last report.
  [2, (facts) => facts.report.status === 'running' && untilThen(facts, `was running at ${endOf(facts.report)}`)],
  [2, (facts) => facts.report.status === 'crashed' && untilThen(facts, 'crashed')],
  [130, (facts) => facts.report.status === 'interrupted' && untilThen(facts, 'was interrupted')],
  [1, (facts) => facts.failing.length > 0 && `The ${facts.target} does not conform: ${breaking(facts)}.`],
  [
    1,
    ({ report: { leaks = [] } }) =>
      leaks.length > 0 && `The run left ${plural(leaks.length, 'item')} behind: ${leaks[0]}`,
  ],
  [2, undecidedByErrors],
  [2, ({ report: { problems = [] } }) => problems[0]],
  [2, ({ report, target }) => report.status === 'undecided' && `The run against the ${target} decided no sentence.`],
  [1, withoutRequired],
  [0, conforming],
]

/**
 * Returns the result of a run: exit code, outcome and one sentence.
 *
 * - 130: the run was interrupted.
 * - 2: the result is unknown, because the run decided no sentence, the suite crashed, the target or the suite had errors, or the report
 *   names another problem, such as an outdated expectation.
 * - 1: a cause of a source in `failOn` without an expectation, an item that the run left behind, or an undecided required requirement.
 * - 0: everything else.
 */
export function resultOf(report: Omit<Report, 'exitCode'>) {
  const unexpected = report.causes.filter(({ outcome, reason }) => outcome === 'fail' && !reason)
  const failing = unexpected.filter(({ source }) => report.failOn.includes(source))
  const facts: Facts = {
    ...{ report, failing, others: unexpected.length - failing.length },
    target: report.target.kind === 'live' ? 'live platform' : report.target.kind,
    errors: report.causes.filter(({ outcome }) => outcome === 'error'),
    sentences: countSentences(report.requirements, report.failOn),
  }
  for (const [exitCode, sentenceOf] of verdicts) {
    const sentence = sentenceOf(facts)
    const isFailed = exitCode === 1 || failing.length > 0
    const isRunning = report.status === 'running' && !isFailed
    const outcome: Outcome = exitCode === 0 ? 'pass' : isFailed ? 'fail' : isRunning ? 'skip' : 'error'
    if (sentence) return { exitCode, outcome, sentence }
  }
  throw new Error('the last verdict applies to every run')
}

function breaking({ report, failing, sentences: { all } }: Facts): string {
  const broken = new Set(failing.flatMap(({ requirements }) => requirements))
  const count = report.requirements.filter(({ id, source }) => broken.has(id) && report.failOn.includes(source)).length
  const what = `${plural(failing.length, 'cause')} ${failing.length === 1 ? 'breaks' : 'break'}`
  return count > 0 ? `${what} ${count} of ${plural(all, 'sentence')}` : `${what} the contract`
}

function untilThen(facts: Facts, what: string): string {
  const { all, hold } = facts.sentences
  const known = facts.failing.length > 0 ? breaking(facts) : `${hold} of ${plural(all, 'sentence')} held`
  return `The run against the ${facts.target} ${what}; until then ${known}.`
}

function endOf({ startedAt, durationMs }: Pick<Report, 'startedAt' | 'durationMs'>): string {
  return minuteText(new Date(Date.parse(startedAt) + durationMs).toISOString())
}

function undecidedByErrors({ target, errors: [first, ...more], sentences: { all, undecided } }: Facts) {
  if (!first) return undefined
  const what = `${operationText(first.operation)}: ${errorText(first)}${more.length > 0 ? `, and ${more.length} more` : ''}`
  return `The run against the ${target} is undecided (${what}); ${undecided} of ${plural(all, 'sentence')} ${isOrAre(undecided)} open.`
}

function errorText({ seen }: Cause): string {
  if (seen.kind === 'fault') return seen.text
  return seen.kind === 'status' ? `status ${seen.status}` : 'no complete response'
}

function withoutRequired({ report: { required = [], requirements }, target }: Facts) {
  const missing = requirements.filter((one) => required.includes(one.id) && isMissing(one)).length
  return (
    missing > 0 &&
    `The ${target} shows no failure, but ${plural(missing, 'required sentence')} ${isOrAre(missing)} undecided.`
  )
}

function conforming({ report, target, others, sentences: { all, hold, undecided } }: Facts): string {
  const own = report.requirements.filter((one) => report.failOn.includes(one.source) && isUndecided(one))
  const isAll = own.every(({ byDesign }) => byDesign)
  const open = isAll
    ? '; no others can be decided with these permissions and fixtures'
    : `; ${undecided} ${isOrAre(undecided)} undecided`
  const holds = `${hold} of ${plural(all, 'sentence')} ${hold === 1 ? 'holds' : 'hold'}${undecided > 0 ? open : ''}`
  if (others > 0)
    return `The ${target} does not contradict the spec: ${holds}. ${plural(others, 'cause')} outside the spec ${isOrAre(others)} below.`
  const expected = report.causes.filter(({ reason }) => reason !== undefined).length
  if (expected > 0)
    return `The ${target} shows nothing new: ${plural(expected, 'cause')} ${isOrAre(expected)} expected, ${holds}.`
  if (hold === 0) return `The ${target} shows no failure, but decides no sentence that can fail the run.`
  return `The ${target} conforms: ${hold === all && all > 1 ? `all ${all} sentences hold` : holds}.`
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** Returns the problems and the leaks of a run that its sentence does not name. */
export function problemLines({ status, problems = [], leaks = [] }: Report): string[] {
  // The sentence of a run that did not start names the first problem.
  return [...problems.slice(status === 'not-started' ? 1 : 0), ...leaks]
}

/** Returns the sentence on how far the emulator behaves as the platform that it follows. */
export function parityLine({ same, others }: NonNullable<Report['parity']>): string {
  return `${same} of ${same + others.length} open points behave as on the platform.`
}
