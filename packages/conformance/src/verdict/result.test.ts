import { expect, test } from 'vitest'
import { fullReport, reportOf, sampleRequirement } from '../../tests/support/samples.ts'
import { countChecks, coverageLines } from './result.ts'

test('counts checks by outcome, and sums their requests', () => {
  const outcomes = ['pass', 'fail', 'skip', 'error'] as const
  const checks = outcomes.flatMap((outcome, index) => Array(index + 1).fill({ outcome, requests: 2 }))
  expect(countChecks(checks)).toEqual({ passed: 1, failed: 2, skipped: 3, errors: 4, requests: 20 })
})

test('a requirement without a result is undecided, never passed; a run against the mock is no coverage', () => {
  const { outcome: _, basis: __, ...rest } = sampleRequirement
  const report = reportOf([], { requirements: [sampleRequirement, { ...rest, id: 'other', checks: [] }] })
  expect(coverageLines(report)).toEqual(['Spec: 1 of 2 sentences holds, 1 is undecided.'])
  expect(coverageLines({ ...report, target: { kind: 'mock' } })[0]).toMatch(/no coverage of the spec/)
  expect(coverageLines(fullReport)).toEqual(['Spec: 1 of 2 sentences holds, 1 is broken.'])
})
