import { expect, test } from 'vitest'
import { reportOf, sampleCause, sampleCheck, sampleRequirement } from '../../tests/support/samples.ts'
import type { Cause, RememberedRun, Report } from '../exchange/report-model.ts'
import { summaryOf } from '../memory/summary.ts'
import { heldBefore, tracksOf, withChanges } from './changes.ts'

const ids = ['a', 'b', 'c']
const atDay = (day: number) => new Date(Date.UTC(2026, 0, day, 2)).toISOString()

/**
 * The report of a day, with a letter per requirement: `p` holds, `f` is broken by a cause of its own, `k` by an expected one, `s` is
 * undecided, `d` is deferred, `m` is masked by the first cause. `!` is a run that ended early, `-` one that did not start.
 */
function reportAt(day: number, letters: string): Report {
  const all = [...letters]
  const causes = ids.flatMap((id, index): Cause[] => {
    const broken = { ...sampleCause, id, operation: `management.${id}`, requirements: [id], checks: [id] }
    return all[index] === 'f' ? [broken] : all[index] === 'k' ? [{ ...broken, reason: 'ticket' }] : []
  })
  const outcomes = { p: 'pass', f: 'fail', k: 'fail', s: 'skip', d: 'skip', m: 'skip' } as const
  const outcomeOf = (index: number) => outcomes[(all[index] ?? 'p') as keyof typeof outcomes] ?? 'skip'
  const checks = ids.map((id, index) => ({
    ...{ ...sampleCheck, id, outcome: outcomeOf(index) },
    ...(all[index] === 'm' && { cause: 'a' }),
  }))
  const requirements = ids.map((id, index) => {
    const outcome = outcomeOf(index)
    return { ...sampleRequirement, id, checks: [id], outcome, ...(all[index] === 'd' && { deferred: true }) }
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
  for (const [index, letters] of days.entries())
    runs.push(summaryOf(withChanges(reportAt(index + 1, letters), runs), runs))
  return runs
}

function changesOf(...days: readonly string[]) {
  const { changes, causes } = withChanges(reportAt(days.length, days.at(-1) ?? ''), runsOf(...days.slice(0, -1)))
  const { broke = [], fixed = [], open = [], undecided = [], inARow } = changes ?? {}
  return {
    ...(broke.length > 0 && { broke }),
    ...(fixed.length > 0 && { fixed: fixed.map(({ id }) => id) }),
    ...(open.length > 0 && { open: open.map(({ id }) => id) }),
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
  [['fpp', 'spp'], { open: ['a'] }],
  [['fpp', 'ppp', 'fpp'], { broke: ['a'], since: [3] }],
  [['ppp', 'sps'], { undecided: ['a', 'c'] }],
  [['ppp', 'dpp'], {}],
  [['ppp', 'fmp'], { broke: ['a'], since: [2] }],
  [['ppp', 'kpp'], { since: [2] }],
  [['kpp', 'ppp'], {}],
  [['kpp', 'fpp'], { since: [1] }],
  [['ppp', '-'], { inARow: 1 }],
  [['ppp', '-', '-'], { inARow: 2 }],
  [['fpp', '-'], { open: ['a'], inARow: 1 }],
  [['fpp', '-', 'fpp'], { since: [1] }],
  [['fpp', '-', 'ppp'], { fixed: ['a'] }],
  [['fpp', 'p!p'], { open: ['a'], inARow: 1 }],
])('what changed in the last of the runs %j', (days, expected) => expect(changesOf(...days)).toEqual(expected))

/** A run with causes, each with its requirements and checks, and the checks that passed. */
function runWith(day: number, causes: Readonly<Record<string, readonly [string[], string[]]>>, passed: string[] = []) {
  const own = Object.entries(causes).map(([id, [requirements, checks]]) => ({
    ...sampleCause,
    id,
    requirements,
    checks,
  }))
  const all = [...own.flatMap(({ checks }) => checks).map((id) => ({ id, outcome: 'fail' as const }))]
  const results = [...all, ...passed.map((id) => ({ id, outcome: 'pass' as const }))]
  return reportOf(
    results.map((one) => ({ ...sampleCheck, ...one })),
    { startedAt: atDay(day), causes: own },
  )
}

function lastOf(...reports: readonly Report[]) {
  const runs: RememberedRun[] = []
  for (const report of reports) runs.push(summaryOf(withChanges(report, runs), runs))
  const last = reports.at(-1)
  const { changes, causes } = withChanges(last as Report, runs.slice(0, -1))
  const ids = (some: readonly { id: string }[] = []) => some.map(({ id }) => id)
  return {
    ...{ broke: changes?.broke, fixed: ids(changes?.fixed), open: ids(changes?.open) },
    since: causes.map(({ since }) => Number(since?.slice(8, 10))),
  }
}

test('a cause with another first requirement is found again by a requirement that both share', () => {
  const both = lastOf(runWith(1, { a: [['a'], ['1']] }), runWith(2, { b: [['b', 'a'], ['2']] }, ['1']))
  expect(both).toEqual({ broke: [], fixed: [], open: [], since: [1] })
})

test('a cause is fixed when the checks that showed it pass, though its requirements stay undecided', () => {
  const shown = {
    a: [
      ['a', 'b'],
      ['1', '2'],
    ],
  } as const
  const all = { ...shown, a: [[...shown.a[0]], [...shown.a[1]]] as [string[], string[]] }
  expect(lastOf(runWith(1, all), runWith(2, {}, ['1', '2'])).fixed).toEqual(['a'])
  expect(lastOf(runWith(1, all), runWith(2, {}, ['1']))).toMatchObject({ fixed: [], open: ['a'] })
  expect(lastOf(runWith(1, all), runWith(2, {}, ['1']), runWith(3, {}, ['2'])).fixed).toEqual(['a'])
})

test('a cause is not fixed while another cause breaks one of its requirements', () => {
  const [a, b] = [
    [['r'], ['1']],
    [['r'], ['2']],
  ] as [string[], string[]][]
  const two = runWith(1, { a: a as [string[], string[]], b: b as [string[], string[]] })
  const one = runWith(2, { b: b as [string[], string[]] }, ['1'])
  expect(lastOf(two, one)).toEqual({ broke: [], fixed: [], open: ['a'], since: [1] })
  expect(lastOf(two, one, runWith(3, {}, ['1', '2'])).fixed).toEqual(['a', 'b'])
})

test('a cause is gone when the checks that sent the wrong requests pass', () => {
  const of = { outcome: 'fail', sentBy: 'sender' } as const
  const first = {
    ...runWith(1, { e: [[], ['exchange.x', 'other']] }),
    checks: [
      { ...sampleCheck, ...of, id: 'exchange.x' },
      { ...sampleCheck, ...of, id: 'other' },
    ],
  }
  expect(lastOf(first, runWith(2, {}, ['other'])).open).toEqual(['e'])
  expect(lastOf(first, runWith(2, {}, ['sender'])).fixed).toEqual(['e'])
})

test('a run of another target changes nothing', () => {
  const other = runsOf('fpp').map((run) => ({ ...run, target: 'live https://other.invalid/' }))
  expect(withChanges(reportAt(2, 'ppp'), other).changes).toEqual({ broke: [], fixed: [], open: [], undecided: [] })
})

test.each<[string[], boolean]>([
  [['ppp', 'fpp', 'ppp'], false],
  [['fpp', 'fpp', 'spp', 'fpp'], false],
  [['fpp', 'ppp', 'fpp'], true],
  [['fpp', ...Array<string>(14).fill('ppp'), 'fpp'], false],
])('a cause of the runs %j is flaky: %s', (days, flaky) => {
  expect(tracksOf(runsOf(...days)).map(({ isFlaky }) => isFlaky)).toEqual([flaky])
})

test('a check that takes turns with others counts as passed for thirty runs, unless it shows a cause', () => {
  const turn = (day: number) => ({ ...reportOf([{ ...sampleCheck, id: 'key', rotates: true }]), startedAt: atDay(day) })
  const runs = [summaryOf(turn(1))]
  expect([...heldBefore(runs)]).toEqual([['key', atDay(1)]])
  const [failed] = [runWith(2, { c: [['r'], ['key']] })]
  expect([...heldBefore([...runs, summaryOf(failed)])]).toEqual([])
  const unavailable = { ...failed, causes: failed.causes.map((cause) => ({ ...cause, outcome: 'error' as const })) }
  expect([...heldBefore([...runs, summaryOf(unavailable)])]).toEqual([['key', atDay(1)]])
  const calm = Array.from({ length: 30 }, (_, day) => summaryOf(reportOf([sampleCheck], { startedAt: atDay(day + 2) })))
  expect([...heldBefore([...runs, ...calm.slice(1)])]).toEqual([['key', atDay(1)]])
  expect([...heldBefore([...runs, ...calm])]).toEqual([])
})

test.each(['withheld', 'unshown'])(
  'a check that is %s in a later run keeps a cause open only if none of the others has passed',
  (reason) => {
    const shown = runWith(1, { a: [['r'], ['sent', 'withheld']] })
    const later = (day: number, ...passed: string[]) => {
      const report = runWith(day, {}, passed)
      const left = { ...sampleCheck, id: 'withheld', outcome: 'skip', [reason]: true } as const
      return { ...report, checks: [...report.checks, left] }
    }
    expect(lastOf(shown, later(2, 'other')).open).toEqual(['a'])
    expect(lastOf(shown, later(2, 'sent')).fixed).toEqual(['a'])
    expect(lastOf(shown, runWith(2, {}, ['sent']), later(3)).fixed).toEqual(['a'])
    expect(lastOf(shown, runWith(2, {}, ['sent'])).open).toEqual(['a'])
    expect(lastOf(runWith(1, { a: [['r'], ['withheld']] }), later(2, 'sent')).open).toEqual(['a'])
  },
)
