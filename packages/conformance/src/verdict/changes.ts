/** Compares runs by their causes. All functions are pure; runs are ordered by time. */

import type { Cause, Changes, RememberedRun, Report } from '../exchange/report-model.ts'
import { resultOf } from './result.ts'

/** A cause of a run in the memory: without evidence, and with the start of its first run. */
export type RememberedCause = RememberedRun['causes'][number]

/** Number of runs in which two separate spells make a cause flaky. */
const flakyRuns = 14

/** Returns the runs of the same target. Runs of different targets are never compared. */
export function sameTarget(runs: readonly RememberedRun[], target: string): readonly RememberedRun[] {
  return runs.filter((run) => run.target === target)
}

/** Kind and URLs of a target in one text. */
export function targetText({ target }: Pick<Report, 'target'>): string {
  return Object.values(target).join(' ')
}

/**
 * Compares a report with earlier runs.
 *
 * @param earlier runs before this one, of any target
 * @returns the report with `changes`, and with the start of each cause in `since`
 */
export function withChanges(report: Report, earlier: readonly RememberedRun[]): Report {
  const attempts = sameTarget(earlier, targetText(report))
  const series = attempts.filter(({ status }) => status === 'complete')
  const open = openCauses(series)
  const before = series.at(-1)
  const causes = report.causes.map((cause) => ({ ...cause, since: matchOf(open, cause)?.since ?? report.startedAt }))
  const isComplete = report.status === 'complete'
  const lost = isComplete ? [] : attempts.slice(attempts.findLastIndex(({ status }) => status === 'complete') + 1)
  const now = summaryOf({ ...report, causes })
  const changes: Changes = {
    ...(before && { before: before.at }),
    broke: isComplete ? causes.flatMap((cause) => (matchOf(open, cause) || cause.reason ? [] : [cause.id])) : [],
    fixed: isComplete ? open.filter((cause) => !cause.expected && isGone(now, cause)) : [],
    undecided: isComplete ? newlyUndecided(report, before) : [],
    ...(!isComplete && { inARow: lost.length + 1, since: lost[0]?.at ?? report.startedAt }),
  }
  return { ...report, causes, changes }
}

/** Summarizes a report for the memory. A cause without `since` starts with this run, so call `withChanges` before. */
export function summaryOf(report: Report, link?: string): RememberedRun {
  const { startedAt, durationMs, status, exitCode, summary, causes, requirements } = report
  return {
    ...{ at: startedAt, target: targetText(report), durationMs, status, exitCode },
    sentence: resultOf(report).sentence,
    ...(link !== undefined && { link }),
    requests: summary.requests,
    causes: causes.map(({ id, operation, seen, requirements: broken, since = startedAt, reason }) => ({
      ...{ id, operation, seen, requirements: broken, since },
      ...(reason !== undefined && { expected: true }),
    })),
    holds: requirements.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id),
  }
}

/**
 * Returns the causes that are open after a series of complete runs. A run that could not decide the requirements of a cause neither
 * fixes it nor starts it again.
 */
export function openCauses(series: readonly RememberedRun[]): readonly RememberedCause[] {
  return series.reduce<readonly RememberedCause[]>((open, run) => {
    const undecided = open.filter((cause) => !matchOf(run.causes, cause) && !isGone(run, cause))
    return [...run.causes, ...undecided]
  }, [])
}

/** Whether a run shows that a cause is gone: the run does not have it, and each of its requirements holds or is broken by another cause. */
function isGone(run: RememberedRun, cause: RememberedCause): boolean {
  const broken = new Set(run.causes.flatMap(({ requirements }) => requirements))
  return !matchOf(run.causes, cause) && cause.requirements.every((id) => run.holds.includes(id) || broken.has(id))
}

/** Finds the cause with the same id, otherwise one with the same operation and a requirement in common. */
export function matchOf<T extends Pick<RememberedCause, 'id' | 'operation' | 'requirements'>>(
  causes: readonly T[],
  { id, operation, requirements }: Pick<Cause, 'id' | 'operation' | 'requirements'>,
): T | undefined {
  return (
    causes.find((one) => one.id === id) ??
    causes.find((one) => one.operation === operation && one.requirements.some((each) => requirements.includes(each)))
  )
}

function newlyUndecided({ requirements, checks }: Report, before: RememberedRun | undefined): string[] {
  const masked = new Set(checks.flatMap(({ id, cause }) => (cause === undefined ? [] : [id])))
  return requirements
    .filter(({ id, outcome, deferred, checks: own }) => {
      const isUndecided = (outcome === 'skip' || outcome === 'error') && !deferred
      return isUndecided && before?.holds.includes(id) && !own.some((check) => masked.has(check))
    })
    .map(({ id }) => id)
}

/** Whether a cause appeared at least twice within the last 14 runs, and was gone in between. */
export function isFlaky(series: readonly RememberedRun[], cause: RememberedCause): boolean {
  let isOpen = false
  let spells = 0
  for (const run of series.slice(-flakyRuns)) {
    const isSeen = matchOf(run.causes, cause) !== undefined
    if (isSeen && !isOpen) spells++
    if (isSeen || isGone(run, cause)) isOpen = isSeen
  }
  return spells >= 2
}
