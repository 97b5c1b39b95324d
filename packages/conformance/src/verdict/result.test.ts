import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check, full, reportOf, requirement } from '../../tests/support/samples.ts'
import type { Outcome, Report } from '../report/model.ts'
import { rollUp } from './outcomes.ts'
import { countChecks, coverageLines, resultOf } from './result.ts'

const outcomes: readonly Outcome[] = ['pass', 'fail', 'skip', 'disabled', 'error']

describe('roll-up', () => {
  test.each<[Outcome[], Outcome | undefined]>([
    [[], undefined],
    [['disabled', 'skip'], 'skip'],
    [['skip', 'pass', 'disabled'], 'pass'],
    [['pass', 'error', 'skip'], 'error'],
    [['pass', 'error', 'fail'], 'fail'],
  ])('%j gives %s', (given, want) => expect(rollUp(given)).toBe(want))

  test('an additional outcome never improves it, and the order does not matter', () => {
    const rank = (outcome: Outcome | undefined) =>
      ['fail', 'error', 'pass', 'skip', 'disabled', undefined].indexOf(outcome)
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...outcomes)), fc.constantFrom(...outcomes), (some, more) => {
        expect(rank(rollUp([...some, more]))).toBe(Math.min(rank(rollUp(some)), rank(more)))
        expect(rollUp(some.toReversed())).toBe(rollUp(some))
      }),
    )
  })
})

test('counts checks by outcome, and sums their requests', () => {
  const checks = outcomes.flatMap((outcome, index) => Array(index + 1).fill({ outcome, requests: 2 }))
  expect(countChecks(checks)).toEqual({ passed: 1, failed: 2, skipped: 3, disabled: 4, errors: 5, requests: 30 })
})

describe('coverage', () => {
  test('a requirement without a result is skipped, never passed', () => {
    const { outcome: _, basis: __, ...rest } = requirement
    expect(coverageLines(reportOf([], { requirements: [{ ...rest, checks: [] }] }))).toEqual([
      'Requirements of the spec: 1 can be checked (0 through the spec alone, 0 through the supplement): 0 passed, 1 skipped.',
    ])
  })

  test('a broken requirement that no check can observe has failed', () => {
    const broken = { ...requirement, unchecked: 'cannot be provoked', outcome: 'fail' } as const
    expect(coverageLines(reportOf([], { requirements: [broken] }))).toEqual([
      'Requirements of the spec: 1 can be checked (1 through the spec alone, 0 through the supplement): 0 passed, 1 failed.',
    ])
  })

  test('the sentences show the split, and that the mock is not coverage', () => {
    expect(coverageLines(full)).toEqual([
      'Requirements of the spec: 2 can be checked (1 through the spec alone, 1 through the supplement): 1 passed, 1 failed. 1 cannot be checked.',
    ])
    expect(coverageLines({ ...full, target: { kind: 'mock' } }).at(-1)).toMatch(/not counted as coverage/)
  })
})

describe('the sentence of the result', () => {
  const failed = { ...check, outcome: 'fail' } as const
  const cases: [string, Report, RegExp][] = [
    ['all passed', reportOf([check]), /^The emulator conforms: .*\(1 passed\)\.$/],
    [
      'a failure',
      full,
      /^The live platform does not conform: 1 check failed and 1 requirement is broken, 1 of the spec/,
    ],
    [
      'an error',
      reportOf([check, { ...check, outcome: 'error' }], { exitCode: 2 }),
      /undecided: 1 check ended in an err/,
    ],
    ['nothing ran', reportOf([{ ...check, outcome: 'skip' }], { exitCode: 2 }), /^Nothing ran .*1 skipped/],
    ['nothing ran, with any exit code', reportOf([]), /^Nothing ran/],
    [
      'expected failures',
      reportOf([{ ...failed, expectedFailure: 'ticket 7' }]),
      /no new failure: each of the 1 failed check is on the list/,
    ],
    [
      'expected failures and a stale entry',
      reportOf(
        [
          { ...failed, expectedFailure: 'ticket 7' },
          { ...check, outcome: 'error' },
        ],
        { exitCode: 2 },
      ),
      /undecided: 1 check ended in an error/,
    ],
    ['drift', reportOf([check], { exitCode: 1, observations: full.observations }), /drifted: .* 1 observation differs/],
    ['interrupted', reportOf([check], { status: 'interrupted', exitCode: 130 }), /was interrupted before .* 1 passed/],
    ['crashed', reportOf([failed], { status: 'crashed', exitCode: 2 }), /crashed before .*1 failed/],
  ]
  test.each(cases)('%s', (_name, report, sentence) => expect(resultOf(report).sentence).toMatch(sentence))
})
