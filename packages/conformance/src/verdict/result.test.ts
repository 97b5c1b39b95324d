import { describe, expect, test } from 'vitest'
import { cause, check, full, reportOf, requirement } from '../../tests/support/samples.ts'
import type { Report } from '../report/model.ts'
import { countChecks, coverageLines, resultOf } from './result.ts'

test('counts checks by outcome, and sums their requests', () => {
  const outcomes = ['pass', 'fail', 'skip', 'error'] as const
  const checks = outcomes.flatMap((outcome, index) => Array(index + 1).fill({ outcome, requests: 2 }))
  expect(countChecks(checks)).toEqual({ passed: 1, failed: 2, skipped: 3, errors: 4, requests: 20 })
})

test('a requirement without a result is undecided, never passed; the mock is no coverage', () => {
  const { outcome: _, basis: __, ...rest } = requirement
  const report = reportOf([], { requirements: [requirement, { ...rest, id: 'other', checks: [] }] })
  expect(coverageLines(report)).toEqual(['Spec: 1 of 2 sentences holds, 1 is undecided.'])
  expect(coverageLines({ ...report, target: { kind: 'mock' } })[0]).toMatch(/no coverage of the spec/)
  expect(coverageLines(full)).toEqual(['Spec: 1 of 2 sentences holds, 1 is broken.'])
})

describe('the sentence of the result', () => {
  const live = { kind: 'live' } as const
  const supplement = { ...cause, source: 'supplement' } as const
  const error = { ...cause, outcome: 'error', requirements: [], seen: 'status 502' } as const
  const broken = { ...requirement, id: cause.id, outcome: 'fail' } as const
  const rest = { target: live, failOn: ['spec'], requirements: [requirement, broken] } as const
  test.each<[string, Partial<Report>]>([
    ['The live platform does not conform: 1 cause breaks 1 of 2 sentences.', { ...rest, causes: [cause] }],
    [
      'The run against the live platform was interrupted; until then 1 cause breaks 1 of 2 sentences.',
      { ...rest, causes: [cause], status: 'interrupted' },
    ],
    [
      'The live platform does not contradict the spec: 1 of 2 sentences holds. 1 cause outside the spec is below.',
      { ...rest, causes: [supplement] },
    ],
    [
      'The live platform shows nothing new: 1 cause is expected, 1 of 2 sentences holds.',
      { ...rest, causes: [{ ...cause, reason: 'ticket' }] },
    ],
    [
      'The run against the live platform is undecided (POST /pullzone/{id}/addAllowedReferrer: status 502); 0 of 2 sentences are open.',
      { ...rest, causes: [error] },
    ],
    ['The run left 1 item behind: The sweep could not.', { ...rest, leaks: ['The sweep could not.'] }],
    ['The live platform conforms: all 1 sentence hold.', { ...rest, requirements: [requirement] }],
    ['No check ran: The key is refused.', { ...rest, status: 'not-started', problems: ['The key is refused.'] }],
  ])('%s', (sentence, report) => {
    expect(resultOf(reportOf([check], report)).sentence).toBe(sentence)
  })
})
