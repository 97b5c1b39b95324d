import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CheckResult, Outcome } from '../exchange/report-model.ts'
import { isDeferred, requirementOutcome, rollUp } from './outcomes.ts'

const base = { id: 'a', requirements: ['r'], source: 'spec', basis: 'spec', effect: 'read' } as const

function check(outcome: Outcome, part?: string, rest: Partial<CheckResult> = {}): CheckResult {
  const message = outcome === 'pass' ? {} : { message: `${part ?? 'it'} was not seen` }
  return { ...base, outcome, durationMs: 0, requests: 0, ...message, ...(part !== undefined && { part }), ...rest }
}

test('a requirement with parts passes only if each part has a pass', () => {
  const parts = ['v1', 'v2']
  expect(requirementOutcome([check('pass', 'v1'), check('pass', 'v2')], parts)).toEqual({ outcome: 'pass' })
  expect(requirementOutcome([check('pass', 'v1'), check('skip', 'v2')], parts)).toEqual({
    outcome: 'skip',
    reason: 'v2 was not seen',
  })
  expect(requirementOutcome([check('pass', 'v1')], parts)).toEqual({
    outcome: 'skip',
    reason: 'no check of this run covers it',
  })
  expect(requirementOutcome([check('pass', 'v1'), check('fail', 'v2')], parts)).toEqual({ outcome: 'fail' })
  expect(requirementOutcome([check('pass', 'v1'), check('error', 'v2')], parts)).toMatchObject({ outcome: 'error' })
})

test('a check that could not send anything leaves its requirement undecided', () => {
  const other = check('skip', 'v1', { deferred: true })
  const undecided = { outcome: 'skip', reason: 'v1 was not seen' }
  expect(requirementOutcome([check('pass', 'v1'), other], ['v1'])).toEqual(undecided)
  expect(requirementOutcome([check('pass'), check('skip', 'it', { requests: 3, cause: 'c' })])).toMatchObject({
    outcome: 'skip',
  })
  expect(requirementOutcome([check('fail'), other])).toEqual({ outcome: 'fail' })
})

test('one passed check suffices for a part, if the other checks of the part sent requests', () => {
  expect(requirementOutcome([check('pass', 'v1'), check('skip', 'v1', { requests: 2 })], ['v1'])).toEqual({
    outcome: 'pass',
  })
  expect(requirementOutcome([], ['v1'])).toEqual({})
})

test('a requirement is deferred if only checks of another day, or with a virtual clock, keep it undecided', () => {
  const other = check('skip', 'v1', { deferred: true })
  expect(isDeferred([other])).toBe(true)
  expect(isDeferred([check('pass', 'v1'), other], ['v1'])).toBe(true)
  expect(isDeferred([check('pass', 'v2'), other], ['v1', 'v2'])).toBe(true)
  expect(isDeferred([check('skip', 'v2'), other], ['v1', 'v2'])).toBe(false)
  expect(isDeferred([other], ['v1', 'v2'])).toBe(false)
  expect(isDeferred([check('pass', 'v1')], ['v1'])).toBe(false)
})

const outcomes: readonly Outcome[] = ['fail', 'error', 'pass', 'skip']

test('an additional outcome never improves the roll-up, and the order does not matter', () => {
  const rank = (outcome: Outcome | undefined) => [...outcomes, undefined].indexOf(outcome)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...outcomes)), fc.constantFrom(...outcomes), (some, more) => {
      expect(rank(rollUp([...some, more]))).toBe(Math.min(rank(rollUp(some)), rank(more)))
      expect(rollUp(some.toReversed())).toBe(rollUp(some))
    }),
  )
})
