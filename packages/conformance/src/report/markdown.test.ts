import { expect, test } from 'vitest'
import { check, full, reportOf } from '../../tests/support/samples.ts'
import { markdownReport } from './markdown.ts'

test('contains result, counts, coverage, failures with their requirements, drift and unchecked requirements', () => {
  const text = markdownReport(full)
  for (const part of [
    /^## ✕ The live platform does not conform/,
    /\| Passed \| Failed .*\n.*\n\| 1 +\| 1 +\| 0 +\| 1 +\| 0 +\| 120 +\|/,
    /2 can be checked \\\(1 through the spec alone, 1 through the supplement\\\)/,
    /\| `management\.add-allowed-referrer\.effect` \| After a success the hostname is there\. \\\(§4\.2\\\) \|/,
    /Expected: a\.invalid among/,
    /### Drift\n\n.*\n.*\n\| `management\.add-allowed-referrer\.success` \| {"status":200} \| {"status":204} \|/,
    /1 observation without drift/,
    /### Exchanges that break the contract/,
    /- The spec has no figure\. `logging\.service\.near-real-time`/,
  ]) {
    expect(text).toMatch(part)
  }
})

test('a run without failures has no table of failures', () => {
  expect(markdownReport(reportOf([check]))).not.toMatch(/###|<details>/)
})

test('fits a job summary whatever the number of failures', () => {
  const checks = Array.from({ length: 1000 }, (_, index) => ({
    ...check,
    id: `check.${index}`,
    outcome: 'fail' as const,
    message: '|'.repeat(5_000),
  }))
  const text = markdownReport(reportOf(checks, { exitCode: 1 }))
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024)
  expect(text).toMatch(/900 more/)
})
