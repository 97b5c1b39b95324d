/** The verdict of a run: its counts, its exit code, and one sentence. */
import type { CheckResult, Report, ReportSummary, RequirementResult } from '../report/model.ts'
import { operationText, plural } from '../report/text.ts'
import { isMissing, shownOutcome } from './outcomes.ts'

/** Counts check results by outcome, and adds up their requests. */
export function countChecks(checks: readonly Pick<CheckResult, 'outcome' | 'requests'>[]): ReportSummary {
  const of = (outcome: CheckResult['outcome']) => checks.filter((check) => check.outcome === outcome).length
  const requests = checks.reduce((sum, check) => sum + check.requests, 0)
  return { passed: of('pass'), failed: of('fail'), skipped: of('skip'), errors: of('error'), requests }
}

/** How many sentences hold, are broken and are undecided. */
export type Sentences = ReturnType<typeof countSentences>

/** Counts the sentences of some sources that a check can observe. */
export function countSentences(requirements: readonly RequirementResult[], sources: readonly string[]) {
  const shown = requirements.filter(({ source }) => sources.includes(source)).map(shownOutcome)
  const of = (outcome: string) => shown.filter((one) => one === outcome).length
  const all = shown.length - of('unchecked')
  return { all, hold: of('pass'), broken: of('fail'), undecided: all - of('pass') - of('fail') }
}

/** The counts of one source in a line, such as `Spec: 57 of 65 sentences hold, 3 are broken, 5 are undecided.` */
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

/**
 * Returns the verdict of a run: exit code, outcome and one sentence.
 *
 * - 130: the run was interrupted.
 * - 2: no check ran, or the suite crashed.
 * - 1: a cause of a source in `failOn` without an expectation, an item that the run left behind, or an undecided required requirement.
 * - 2: the target or the suite had errors, so the result is unknown, or nothing ran.
 * - 0: everything else.
 */
export function resultOf(report: Omit<Report, 'exitCode'>) {
  const { summary, status, failOn, causes, required = [], requirements, problems = [], leaks = [] } = report
  const target = report.target.kind === 'live' ? 'live platform' : report.target.kind
  const failing = causes.filter(
    ({ outcome, source, reason }) => outcome === 'fail' && !reason && failOn.includes(source),
  )
  const others = causes.filter(({ outcome, reason }) => outcome === 'fail' && !reason).length - failing.length
  const errors = causes.filter(({ outcome }) => outcome === 'error')
  const { all, hold, undecided } = countSentences(requirements, failOn)
  const result = (exitCode: number, sentence: string) => {
    const isFailed = exitCode === 1 || failing.length > 0
    return { exitCode, outcome: exitCode === 0 ? 'pass' : isFailed ? 'fail' : 'error', sentence } as const
  }
  const breaking = () => {
    const broken = new Set(failing.flatMap((cause) => cause.requirements))
    const count = requirements.filter(({ id, source }) => broken.has(id) && failOn.includes(source)).length
    const what = `${plural(failing.length, 'cause')} ${failing.length === 1 ? 'breaks' : 'break'}`
    return count > 0 ? `${what} ${count} of ${plural(all, 'sentence')}` : `${what} the contract`
  }
  if (status === 'not-started') return result(2, `No check ran: ${problems[0] ?? 'the run was interrupted.'}`)
  if (status === 'interrupted' || status === 'crashed') {
    const end = status === 'crashed' ? 'crashed' : 'was interrupted'
    const until = failing.length > 0 ? breaking() : `${hold} of ${plural(all, 'sentence')} held`
    return result(status === 'crashed' ? 2 : 130, `The run against the ${target} ${end}; until then ${until}.`)
  }
  if (failing.length > 0) return result(1, `The ${target} does not conform: ${breaking()}.`)
  if (leaks.length > 0) return result(1, `The run left ${plural(leaks.length, 'item')} behind: ${leaks[0]}`)
  const [first] = errors
  if (first) {
    const what = `${operationText(first.operation)}: ${first.seen}${errors.length > 1 ? `, and ${errors.length - 1} more` : ''}`
    return result(
      2,
      `The run against the ${target} is undecided (${what}); ${undecided} of ${plural(all, 'sentence')} ${isOrAre(undecided)} open.`,
    )
  }
  if (problems[0] !== undefined) return result(2, problems[0])
  const missing = requirements.filter((one) => required.includes(one.id) && isMissing(one)).length
  if (missing > 0)
    return result(
      1,
      `The ${target} shows no failure, but ${plural(missing, 'required sentence')} ${isOrAre(missing)} undecided.`,
    )
  if (summary.passed + summary.failed === 0)
    return result(2, `Nothing ran against the ${target}, so the result is unknown.`)
  const open = undecided > 0 ? `; ${undecided} ${isOrAre(undecided)} undecided` : ''
  const holds = `${hold} of ${plural(all, 'sentence')} ${hold === 1 ? 'holds' : 'hold'}${open}`
  if (others > 0)
    return result(
      0,
      `The ${target} does not contradict the spec: ${holds}. ${plural(others, 'cause')} outside the spec ${isOrAre(others)} below.`,
    )
  const expected = causes.filter(({ reason }) => reason !== undefined).length
  if (expected > 0)
    return result(
      0,
      `The ${target} shows nothing new: ${plural(expected, 'cause')} ${isOrAre(expected)} expected, ${holds}.`,
    )
  return result(0, `The ${target} conforms: ${hold === all ? `all ${plural(all, 'sentence')} hold` : holds}.`)
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
