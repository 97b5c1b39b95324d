import { expect, test } from 'vitest'
import { cause, check, reportOf, requirement } from '../../tests/support/samples.ts'
import type { Cause, RememberedRun, Report } from '../exchange/report-model.ts'
import { isFlaky, summaryOf, withChanges } from './changes.ts'

const ids = ['a', 'b', 'c']
const atDay = (day: number) => new Date(Date.UTC(2026, 0, day, 2)).toISOString()

/**
 * The report of a day, with a letter per requirement: `p` holds, `f` is broken by a cause of its own, `k` by an expected one, `s` is
 * undecided, `d` is deferred, `m` is masked by the first cause. `!` is a run that ended early, `-` one that did not start.
 */
function reportAt(day: number, letters: string): Report {
  const all = [...letters]
  const causes = ids.flatMap((id, index): Cause[] => {
    const broken = { ...cause, id, operation: `management.${id}`, requirements: [id] }
    return all[index] === 'f' ? [broken] : all[index] === 'k' ? [{ ...broken, reason: 'ticket' }] : []
  })
  const checks = ids.map((id, index) => ({ ...check, id, ...(all[index] === 'm' && { cause: 'a' }) }))
  const outcomes = { p: 'pass', f: 'fail', k: 'fail', s: 'skip', d: 'skip', m: 'skip' } as const
  const requirements = ids.map((id, index) => {
    const outcome = outcomes[(all[index] ?? 'p') as keyof typeof outcomes] ?? 'skip'
    return { ...requirement, id, checks: [id], outcome, ...(all[index] === 'd' && { deferred: true }) }
  })
  const status = letters.includes('!') ? 'interrupted' : letters === '-' ? 'not-started' : 'complete'
  return reportOf(checks, {
    startedAt: atDay(day),
    status,
    causes,
    requirements,
    exitCode: status === 'complete' ? 0 : 2,
  })
}

function runsOf(...days: readonly string[]): RememberedRun[] {
  const runs: RememberedRun[] = []
  for (const [index, letters] of days.entries()) runs.push(summaryOf(withChanges(reportAt(index + 1, letters), runs)))
  return runs
}

function changesOf(...days: readonly string[]) {
  const { changes, causes } = withChanges(reportAt(days.length, days.at(-1) ?? ''), runsOf(...days.slice(0, -1)))
  const { broke = [], fixed = [], undecided = [], inARow } = changes ?? {}
  return {
    ...(broke.length > 0 && { broke }),
    ...(fixed.length > 0 && { fixed: fixed.map(({ id }) => id) }),
    ...(undecided.length > 0 && { undecided }),
    ...(inARow !== undefined && { inARow }),
    ...(causes.length > 0 && { since: causes.map(({ since }) => Number(since?.slice(8, 10))) }),
  }
}

test.each<[string[], ReturnType<typeof changesOf>]>([
  [['ppp'], {}],
  [['fpp'], { broke: ['a'], since: [1] }],
  [['ppp', 'fpf'], { broke: ['a', 'c'], since: [2, 2] }],
  [['fpp', 'fpp'], { since: [1] }],
  [['fpp', 'ppp'], { fixed: ['a'] }],
  [['fpp', 'spp', 'fpp'], { since: [1] }],
  [['fpp', 'spp', 'ppp'], { fixed: ['a'] }],
  [['fpp', 'spp'], {}],
  [['fpp', 'ppp', 'fpp'], { broke: ['a'], since: [3] }],
  [['ppp', 'sps'], { undecided: ['a', 'c'] }],
  [['ppp', 'dpp'], {}],
  [['ppp', 'fmp'], { broke: ['a'], since: [2] }],
  [['ppp', 'kpp'], { since: [2] }],
  [['kpp', 'ppp'], {}],
  [['kpp', 'fpp'], { since: [1] }],
  [['ppp', '-'], { inARow: 1 }],
  [['ppp', '-', '-'], { inARow: 2 }],
  [['fpp', '-', 'fpp'], { since: [1] }],
  [['fpp', '-', 'ppp'], { fixed: ['a'] }],
  [['fpp', 'p!p'], { inARow: 1 }],
])('what changed in the last of the runs %j', (days, expected) => expect(changesOf(...days)).toEqual(expected))

test('a cause that breaks another requirement first is found again by one that they share', () => {
  const wide = { ...cause, id: 'b', requirements: ['b', 'a'], operation: 'management.a' }
  const { changes, causes } = withChanges({ ...reportAt(2, 'ffp'), causes: [wide] }, runsOf('fpp'))
  expect([changes?.broke, changes?.fixed, causes[0]?.since]).toEqual([[], [], atDay(1)])
})

test('a run of another target changes nothing', () => {
  const other = runsOf('fpp').map((run) => ({ ...run, target: 'live https://other.invalid/' }))
  expect(withChanges(reportAt(2, 'ppp'), other).changes).toEqual({ broke: [], fixed: [], undecided: [] })
})

test.each<[string[], boolean]>([
  [['ppp', 'fpp', 'ppp'], false],
  [['fpp', 'fpp', 'spp', 'fpp'], false],
  [['fpp', 'ppp', 'fpp'], true],
  [['fpp', ...Array<string>(14).fill('ppp'), 'fpp'], false],
])('a cause of the runs %j is flaky: %s', (days, flaky) => {
  const runs = runsOf(...days)
  const seen = runs.findLast(({ causes }) => causes.length > 0)?.causes[0]
  expect(seen && isFlaky(runs, seen)).toBe(flaky)
})
