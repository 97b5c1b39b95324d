import type { Ground } from '@cdn/api/contract'
import type { CheckResult, Outcome, Report, Summary } from './model.ts'
import { marks, type Shown, shownOutcome } from './outcomes.ts'

/** How far the requirements of one ground were checked. The five outcomes add up to `checkable`. */
export interface Coverage {
  readonly checkable: number
  readonly passed: number
  readonly failed: number
  readonly errors: number
  readonly skipped: number
  readonly disabled: number
  /** Requirements that no check can look at; not part of `checkable`. */
  readonly unchecked: number
  /** The checkable ones by what it takes to look at them; one without a check stands in neither. */
  readonly byThrough: Readonly<Record<Ground, number>>
}

/** The judgement of a whole run: the outcome it amounts to, and one sentence. */
export interface Judgement {
  readonly outcome: 'pass' | 'fail' | 'error'
  readonly sentence: string
}

const severity: readonly Outcome[] = ['fail', 'error', 'pass', 'skip', 'disabled']

/**
 * The outcome of a requirement from those of its checks: fail > error > pass > skip > disabled.
 *
 * @returns `undefined` for no outcomes at all
 */
export function rollUp(outcomes: readonly Outcome[]): Outcome | undefined {
  return severity.find((outcome) => outcomes.includes(outcome))
}

/** Counts check results by outcome, and their requests. */
export function countChecks(checks: readonly Pick<CheckResult, 'outcome' | 'requests'>[]): Summary {
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

/** Counts the requirements of one ground, the document's unless told otherwise. */
export function coverage(report: Pick<Report, 'requirements'>, ground: Ground = 'document'): Coverage {
  const requirements = report.requirements.filter((requirement) => requirement.ground === ground)
  const of = (shown: Shown) => requirements.filter((requirement) => shownOutcome(requirement) === shown).length
  const unchecked = of('unchecked')
  const through = (wanted: Ground) =>
    requirements.filter((requirement) => shownOutcome(requirement) !== 'unchecked' && requirement.through === wanted)
      .length
  return {
    checkable: requirements.length - unchecked,
    passed: of('pass'),
    failed: of('fail'),
    errors: of('error'),
    skipped: of('skip'),
    disabled: of('disabled'),
    unchecked,
    byThrough: { document: through('document'), supplement: through('supplement') },
  }
}

/**
 * The coverage in sentences: one for each ground that has requirements, and one where the target is the mock, which
 * says nothing about the platform and is never counted as coverage.
 */
export function coverageLines(report: Report): string[] {
  if (report.target.kind === 'mock') {
    const { checkable, unchecked: _, byThrough: __, ...counts } = coverage(report, 'supplement')
    return [
      `Statements of the contract that were held against the mock: ${checkable}: ${listCounts(counts)}.`,
      'The mock keeps no state: what it passes is not counted as coverage of the document.',
    ]
  }
  return (['document', 'supplement'] as const).flatMap((ground) => {
    const { checkable, unchecked, byThrough, ...counts } = coverage(report, ground)
    if (checkable + unchecked === 0) return []
    const split =
      ground === 'document'
        ? ` (${byThrough.document} through the document alone, ${byThrough.supplement} through the supplement)`
        : ''
    const cannot = unchecked > 0 ? ` ${unchecked} cannot be checked.` : ''
    return `Requirements of the ${ground}: ${checkable} can be checked${split}: ${listCounts(counts)}.${cannot}`
  })
}

/** The verdict on a run in one sentence. */
export function verdict(report: Report): string {
  return judge(report).sentence
}

/** Judges a run from its status, its counts and its exit code, which also knows of known failures and of drift. */
export function judge(report: Report): Judgement {
  const { summary, status, exitCode } = report
  const target = report.target.kind === 'live' ? 'live platform' : report.target.kind
  const counts = listCounts(summary)
  const failed = report.checks.filter(({ outcome, known }) => outcome === 'fail' && known === undefined)
  if (status !== 'complete') {
    const end = status === 'crashed' ? 'crashed' : 'was interrupted'
    const outcome = failed.length > 0 ? 'fail' : 'error'
    return { outcome, sentence: `The run against the ${target} ${end} before it was complete; until then: ${counts}.` }
  }
  if (failed.length > 0) {
    const ids = new Set(failed.flatMap(({ requirements }) => requirements))
    const broken = report.requirements.filter(({ id }) => ids.has(id))
    const documented = broken.filter(({ ground }) => ground === 'document').length
    const of = broken.length > 0 ? `, ${documented} of the document` : ''
    const sentence = `The ${target} does not conform: ${plural(failed.length, 'check')} failed and ${plural(broken.length, 'requirement')} ${broken.length === 1 ? 'is' : 'are'} broken${of}.`
    return { outcome: 'fail', sentence }
  }
  if (summary.errors > 0) {
    const sentence = `The run against the ${target} is undecided: ${plural(summary.errors, 'check')} ended in an error (${counts}).`
    return { outcome: 'error', sentence }
  }
  if (summary.passed + summary.failed === 0) {
    return { outcome: 'error', sentence: `Nothing ran against the ${target}, so nothing is known of it (${counts}).` }
  }
  const drifted = report.observations.filter(({ drift }) => drift).length
  if (exitCode === 1 && drifted > 0) {
    const sentence = `The ${target} drifted: no check failed, but ${plural(drifted, 'observation')} ${drifted === 1 ? 'differs' : 'differ'} from the baseline.`
    return { outcome: 'fail', sentence }
  }
  if (exitCode !== 0) {
    const sentence = `The run against the ${target} is undecided: it ended with exit code ${exitCode} for a reason other than its checks (${counts}).`
    return { outcome: 'error', sentence }
  }
  if (summary.failed > 0) {
    const sentence = `The ${target} shows no new failure: each of the ${plural(summary.failed, 'failed check')} is on the list of known failures (${counts}).`
    return { outcome: 'pass', sentence }
  }
  return { outcome: 'pass', sentence: `The ${target} conforms: each check that ran passed (${counts}).` }
}

/** `58 passed, 1 failed, 2 skipped`: the counts that are not zero, passed always. */
export function listCounts(counts: Omit<Summary, 'requests'>): string {
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

/** `1 check`, `2 checks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
