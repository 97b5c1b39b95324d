/** What changed between nights. All functions are pure; nights are ordered by time. */
import type { Changes, Transition } from '../report/model.ts'
import type { Letter, Night } from './history.ts'

/** Number of nights in which failures and passes make a requirement flaky. */
const flakyNights = 14

/** Returns the complete nights of the target of the last night. Nights of another target are never compared. */
export function seriesOf(nights: readonly Night[]): readonly Night[] {
  const target = nights.at(-1)?.target
  return nights.filter((night) => night.status === 'complete' && night.target === target)
}

/** The record of a requirement or check over the nights. Times are ISO 8601. */
export type Standing = ReturnType<typeof standingOf>

/** Returns the record of a requirement or check. Nights that defer or lack the id do not count. */
export function standingOf(series: readonly Night[], kind: 'requirements' | 'checks', id: string) {
  const entries = series.flatMap(({ at, [kind]: letters }) => {
    const letter = Object.hasOwn(letters, id) ? letters[id] : undefined
    return letter === undefined || letter === 'd' ? [] : [{ at, letter }]
  })
  const isNow = entries.at(-1)?.at === series.at(-1)?.at
  const earlier = isNow ? entries.slice(0, -1) : entries
  const isDecided = ({ letter }: { readonly letter: Letter }) => letter === 'p' || letter === 'f'
  const passed = entries.findLastIndex(({ letter }) => letter === 'p' || letter === 'k')
  const failed = entries.slice(passed + 1).filter(({ letter }) => letter === 'f')
  const start = series.at(-flakyNights)?.at ?? ''
  const recent = entries.filter((entry) => isDecided(entry) && entry.at >= start)
  return {
    /** Outcome of the last night. */
    now: isNow ? entries.at(-1)?.letter : undefined,
    /** Outcome of the night before in which it was due. */
    before: earlier.at(-1)?.letter,
    /** Outcome of the last earlier night in which it passed or failed. */
    decidedBefore: earlier.findLast(isDecided)?.letter,
    /** First failed night since it last passed, if it still fails or is undecided since. */
    firstFailed: failed[0]?.at,
    lastPassed: entries.findLast(({ letter }) => letter === 'p')?.at,
    /** Number of failed nights since it last passed, or since an expected failure. */
    failedNights: failed.length,
    /** Whether it failed and passed within 14 nights, with at least two changes. */
    flaky: recent.filter(({ letter }, index) => index > 0 && letter !== recent[index - 1]?.letter).length >= 2,
  }
}

/**
 * Returns what changed in the last night of a series, at most one transition per requirement. A requirement that the last night
 * does not have has none. Without an earlier decision, a failure is new.
 */
export function transitions(series: readonly Night[]): readonly Transition[] {
  const [before, last] = [series.at(-2), series.at(-1)]
  if (!last) return []
  const changed = Object.keys(last.requirements).flatMap((id): Transition[] => {
    const { now, before, decidedBefore, firstFailed, lastPassed, flaky } = standingOf(series, 'requirements', id)
    const facts = { id, ...(firstFailed && { firstFailed }), ...(lastPassed && { lastPassed }) }
    if (now === 'f' && decidedBefore !== 'f') return [{ ...facts, kind: flaky ? 'flaky' : 'failing' }]
    if (now === 'p' && decidedBefore === 'f') {
      const { firstFailed: start } = standingOf(series.slice(0, -1), 'requirements', id)
      return [{ id, kind: 'fixed', ...(start && { firstFailed: start }) }]
    }
    const isUndecided = now === 's' || now === 'x' || now === 'e'
    return isUndecided && (before === 'p' || before === 'f') ? [{ ...facts, kind: 'undecided' }] : []
  })
  const drift = last.drift.filter((id) => !before?.drift.includes(id))
  return [...changed, ...drift.map((id): Transition => ({ id, kind: 'drift' }))]
}

/** Returns what the report shows about the nights before it. The last night of the list is the report's own. */
export function changesOf(nights: readonly Night[]): Changes {
  const series = seriesOf(nights)
  const last = nights.at(-1)
  const earlier = series.filter((night) => night !== last).at(-1)
  // The failures of a night that ended early are shown with their start, too, but they are no transitions.
  const whole = last && !series.includes(last) ? [...series, last] : series
  const since = (kind: 'requirements' | 'checks') =>
    Object.entries(last?.[kind] ?? {}).flatMap(([id, letter]) => {
      const { firstFailed } = standingOf(whole, kind, id)
      return letter === 'f' && firstFailed !== undefined ? [[id, firstFailed] as const] : []
    })
  return {
    ...(earlier && { lastNight: earlier.at }),
    transitions: last && series.includes(last) ? transitions(series) : [],
    failingSince: Object.fromEntries([...since('requirements'), ...since('checks')]),
  }
}
