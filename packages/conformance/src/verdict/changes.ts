/** Compares runs by their causes. All functions are pure; runs are ordered by time. */
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Cause, Changes, RememberedRun, Report } from '../exchange/report-model.ts'
import { resultOf } from './result.ts'

/** A cause of a run in the memory: without evidence, and with the start of its first run. */
export type RememberedCause = RememberedRun['causes'][number]

/** A cause over the complete runs of a target. */
export interface Track {
  /** The cause as it was seen last. */
  readonly cause: RememberedCause
  /** The checks that showed the cause and have not passed since; empty for a cause that is fixed. */
  readonly open: readonly string[]
  /** Starts of the runs that saw the cause, and of those after which it was fixed. */
  readonly seen: readonly string[]
  readonly fixed: readonly string[]
  /** Whether the cause came back within 14 runs. */
  readonly isFlaky: boolean
}

/** A cause is flaky if it comes back within this number of runs. */
const flakyRuns = 14

/** Returns the runs of the same target. Runs of different targets are never compared. */
export function sameTarget(runs: readonly RememberedRun[], target: string): readonly RememberedRun[] {
  return runs.filter((run) => run.target === target)
}

/** Kind and URLs of a target in one text. */
export function targetText({ target }: Pick<Report, 'target'>): string {
  return Object.values(target).join(' ')
}

/** Whether a run has a result: it ended, and decided at least one sentence. */
export function hasResult({ status }: Pick<RememberedRun, 'status'>): boolean {
  return status === 'complete'
}

/**
 * Compares a report with earlier runs.
 *
 * @param earlier runs before this one, of any target
 * @returns the report with `changes`, and with the start of each cause in `since`
 */
export function withChanges(report: Report, earlier: readonly RememberedRun[]): Report {
  const { startedAt } = report
  const attempts = sameTarget(earlier, targetText(report))
  const before = attempts.findLast(hasResult)
  const without = attempts.slice(attempts.findLastIndex(hasResult) + 1)
  // The titles do not matter to a comparison.
  const now = toRememberedRun(report, () => '', attempts)
  const after = tracksOf([...attempts, now])
  const pairs = pairsOf(tracksOf(attempts), now.causes)
  const openOf = (index: number) => {
    const track = pairs.get(assertDefined(now.causes[index]))
    return isOpen(track) ? track : undefined
  }
  const causes = report.causes.map((cause, index) => ({ ...cause, since: openOf(index)?.cause.since ?? startedAt }))
  const goesOn = new Set(now.causes.flatMap((_, index) => openOf(index)?.cause.id ?? []))
  const unexpected = after.filter(({ cause }) => !cause.expected)
  const changes: Changes = {
    ...(before && { before: before.at }),
    broke: hasResult(report)
      ? causes.filter((cause, index) => !cause.reason && !openOf(index)).map(({ id }) => id)
      : [],
    fixed: unexpected.filter(({ fixed }) => fixed.at(-1) === startedAt).map(({ cause }) => cause),
    open: unexpected
      .filter((track) => isOpen(track) && track.seen.at(-1) !== startedAt && !goesOn.has(track.cause.id))
      .map(({ cause }) => cause),
    undecided: hasResult(report) ? newlyUndecided(report, before) : [],
    ...(!hasResult(report) && { inARow: without.length + 1, since: without[0]?.at ?? startedAt }),
  }
  return { ...report, causes, changes }
}

/**
 * Summarizes a report for the memory.
 *
 * @param titleOf makes the title of a cause
 * @param earlier runs before this one
 * @param link address of the report
 */
export function toRememberedRun(
  report: Report,
  titleOf: (cause: Cause) => string,
  earlier: readonly RememberedRun[] = [],
  link?: string,
): RememberedRun {
  const { startedAt, durationMs, status, exitCode, summary, causes, requirements, checks } = report
  const open = new Set(tracksOf(sameTarget(earlier, targetText(report))).flatMap((track) => track.open))
  // A cause is gone if the checks that sent the wrong requests pass, whichever checks reported it.
  const sender = new Map(checks.map(({ id, sentBy = id }) => [id, sentBy]))
  return {
    ...{ at: startedAt, target: targetText(report), durationMs, status, exitCode },
    sentence: resultOf(report).sentence,
    ...(link !== undefined && { link }),
    requests: summary.requests,
    causes: causes.map((cause) => ({
      ...{ id: cause.id, operation: cause.operation, requirements: cause.requirements },
      ...{ seen: titleOf(cause), since: cause.since ?? startedAt },
      checks: [...new Set(cause.checks.map((each) => sender.get(each) ?? each))],
      ...(cause.reason !== undefined && { expected: true }),
      ...(cause.outcome === 'error' && { error: true }),
    })),
    holds: requirements.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id),
    // A check that passed on an earlier day says nothing about this run.
    passed: checks
      .filter(({ id, outcome, deferred, rotates }) => outcome === 'pass' && !deferred && (rotates || open.has(id)))
      .map(({ id }) => id),
    withheld: checks.filter(({ id, withheld, unshown }) => (withheld || unshown) && open.has(id)).map(({ id }) => id),
  }
}

/** Number of runs within which each check that takes turns with others has run. */
const turns = 30

/** Finds the checks that passed in one of the last runs with a result, and showed no cause since. @returns the start of that run by id */
export function heldBefore(runs: readonly RememberedRun[]): Map<string, string> {
  const held = new Map<string, string>()
  for (const run of runs.filter(hasResult).slice(-turns)) {
    for (const id of run.passed ?? []) held.set(id, run.at)
    // An unavailable target says nothing about a check.
    for (const id of run.causes.flatMap(({ checks = [], error }) => (error ? [] : checks))) held.delete(id)
  }
  return held
}

/** Follows each cause over the complete runs of a series; other runs change nothing. The newest cause is the last one. */
export function tracksOf(series: readonly RememberedRun[]): readonly Track[] {
  return series.filter(hasResult).reduce<readonly Track[]>(follow, [])
}

/**
 * Adds a run to the tracks. A cause that the run does not show is fixed when each check that showed it has passed since, but not while a
 * cause of the run breaks one of its requirements. A check that the run withholds, or whose kind of response the target does not show, need
 * not pass if another check that showed the cause has passed since.
 */
function follow(
  tracks: readonly Track[],
  run: RememberedRun,
  index: number,
  series: readonly RememberedRun[],
): readonly Track[] {
  const pairs = pairsOf(tracks, run.causes)
  const recent = series[Math.max(0, index - flakyRuns + 1)]?.at ?? run.at
  const seen = run.causes.map((cause): Track => {
    const track = pairs.get(cause)
    const goesOn = isOpen(track)
    const isBack = track !== undefined && !goesOn && (track.seen.at(-1) ?? '') >= recent
    const issue = goesOn || isBack ? track?.cause.issue : undefined
    return {
      cause: { ...(issue !== undefined && { issue }), ...cause, since: (goesOn && track?.cause.since) || run.at },
      open: cause.checks ?? cause.requirements,
      seen: [...(track?.seen ?? []), run.at],
      fixed: track?.fixed ?? [],
      isFlaky: isBack || (goesOn && track?.isFlaky === true),
    }
  })
  const paired = new Set(pairs.values())
  const others = tracks
    .filter((track) => !paired.has(track))
    .map((track): Track => {
      // A memory of an earlier version has no checks.
      const { checks: all = track.cause.requirements } = track.cause
      const passed = track.cause.checks ? run.passed : run.holds
      const open = track.open.filter((id) => !passed?.includes(id))
      const isDecided = open.length < all.length && open.every((id) => run.withheld?.includes(id))
      if (!isOpen(track) || !isDecided) return { ...track, open }
      const isShared = run.causes.some((cause) => shares(cause, track.cause))
      return isShared ? track : { ...track, open: [], fixed: [...track.fixed, run.at] }
    })
  return [...others, ...seen]
}

export function isOpen(track: Track | undefined): boolean {
  return track !== undefined && track.open.length > 0
}

/** Rules that match a track with a cause of this run, the most certain first. A cause can continue under another id or operation. */
const signs: readonly ((track: Track, cause: RememberedCause) => boolean)[] = [
  ({ open, cause: { id } }, cause) => open.length > 0 && id === cause.id,
  ({ open, cause: one }, cause) => open.length > 0 && one.operation === cause.operation && shares(one, cause),
  ({ open, cause: one }, cause) => open.length > 0 && shares(one, cause),
  ({ cause: { id } }, cause) => id === cause.id,
  ({ cause: one }, cause) => one.operation === cause.operation && shares(one, cause),
]

/** Finds the track of each cause. No track gets two causes. */
function pairsOf(tracks: readonly Track[], causes: readonly RememberedCause[]): Map<RememberedCause, Track> {
  const pairs = new Map<RememberedCause, Track>()
  const free = new Set(tracks)
  for (const sign of signs)
    for (const cause of causes) {
      const track = pairs.has(cause) ? undefined : [...free].findLast((one) => sign(one, cause))
      if (!track) continue
      pairs.set(cause, track)
      free.delete(track)
    }
  return pairs
}

type Broken = Pick<RememberedCause, 'requirements'>

function shares({ requirements }: Broken, other: Broken): boolean {
  return requirements.some((id) => other.requirements.includes(id))
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
