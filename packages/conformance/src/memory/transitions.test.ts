import { describe, expect, test } from 'vitest'
import type { Letter, Night } from './history.ts'
import { changesOf, seriesOf, standingOf, transitions } from './transitions.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day, 2)).toISOString()

/** Makes nights of one requirement `r`: one letter per night, and a dot for a night that does not have it. */
function nightsOf(letters: string, rest: Partial<Night> = {}): Night[] {
  return [...letters].map((letter, index) => ({
    ...{ at: at(index + 1), target: 'live a', durationMs: 1, status: 'complete', exitCode: 0, requests: 1 },
    requirements: letter === '.' ? {} : { r: letter as Letter }, // the tables below name letters
    ...{ checks: {}, drift: [] },
    ...rest,
  }))
}

describe('what changed in the last night', () => {
  test.each([
    ['f', 'failing'],
    ['pf', 'failing'],
    ['.f', 'failing'],
    ['pff', undefined],
    ['pfsf', undefined],
    ['pkf', 'failing'],
    ['pfp', 'fixed'],
    ['pfdp', 'fixed'],
    ['pfsp', 'fixed'],
    ['pp', undefined],
    ['.p', undefined],
    ['p.', undefined],
    ['f.', undefined],
    ['ps', 'undecided'],
    ['fe', 'undecided'],
    ['pdx', 'undecided'],
    ['pss', undefined],
    ['s', undefined],
    ['pd', undefined],
    ['pk', undefined],
    ['pfpf', 'flaky'],
    [`pfp${'p'.repeat(13)}f`, 'failing'],
  ])('%s: %s', (letters, kind) => {
    expect(transitions(nightsOf(letters)).map((one) => one.kind)).toEqual(kind === undefined ? [] : [kind])
  })
})

test.each([
  ['pfp', true],
  ['fp', false],
  ['pppff', false],
  ['pfsp', true],
  [`pfp${'p'.repeat(11)}`, true],
  [`pfp${'p'.repeat(12)}`, false],
])('%s is flaky: %s', (letters, flaky) => {
  expect(standingOf(nightsOf(letters), 'requirements', 'r').flaky).toBe(flaky)
})

test.each([
  ['ppff', at(3), at(2), 2],
  ['pfsf', at(2), at(1), 2],
  ['pfpdf', at(5), at(3), 1],
  ['ff', at(1), undefined, 2],
  ['ppp', undefined, at(3), 0],
])('%s: first failed, last passed, number of failed nights', (letters, firstFailed, lastPassed, failedNights) => {
  expect(standingOf(nightsOf(letters), 'requirements', 'r')).toMatchObject({ firstFailed, lastPassed, failedNights })
})

test('nights of another target, and nights that ended early, are left out', () => {
  const [first, second, third, last] = nightsOf('pfff') as [Night, Night, Night, Night] // four letters
  const series = seriesOf([first, { ...second, target: 'live b' }, { ...third, status: 'crashed' }, last])
  expect(series).toEqual([first, last])
  expect(transitions(series)).toEqual([{ kind: 'failing', id: 'r', firstFailed: last.at, lastPassed: first.at }])
})

test('a change of the target is no change of a requirement', () => {
  const [first] = nightsOf('p')
  const other = nightsOf('..p', { target: 'live b' }).slice(2)
  expect(changesOf([first as Night, ...other])).toEqual({ transitions: [], failingSince: {} })
})

test('drift is told once', () => {
  const [one, two, three] = nightsOf('ppp') as [Night, Night, Night] // three letters
  const drifted = [
    { ...two, drift: ['x'] },
    { ...three, drift: ['x', 'y'] },
  ] as const
  expect(transitions([one, drifted[0]])).toEqual([{ kind: 'drift', id: 'x' }])
  expect(transitions([one, ...drifted])).toEqual([{ kind: 'drift', id: 'y' }])
})

test('the failures of a night that ended early say since when, and are no transitions', () => {
  const [one, two, three] = nightsOf('pff') as [Night, Night, Night] // three letters
  const { transitions: changed, failingSince, lastNight } = changesOf([one, two, { ...three, status: 'interrupted' }])
  expect({ changed, failingSince, lastNight }).toEqual({ changed: [], failingSince: { r: two.at }, lastNight: two.at })
})
