import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { sampleCause, sampleCheck } from '../../tests/support/samples.ts'
import { SuiteConfigurationError } from '../exchange/failure.ts'
import type { Outcome } from '../exchange/report-model.ts'
import { matchesPattern } from '../exchange/requirements.ts'
import {
  type Expectation,
  readExpectations,
  staleExpectations,
  statedObservations,
  withExpectedReasons,
} from './expectations.ts'

const file = join(temporaryFolder(), 'expect.json')

const entry = (id: string, is: Expectation['is'] = 'fails'): Expectation => ({ id, is, reason: 'ticket 7' })
const results = (...outcomes: Outcome[]) =>
  outcomes.map((outcome, index) => ({ ...sampleCheck, id: `c${index}`, requirements: ['r'], outcome }))

test.each([
  ['a.b', 'a.b', true],
  ['a.*', 'a.b/c', true],
  ['*.values', 'logging.cache-status.values', true],
  ['a.b', 'axb', false],
  ['a+', 'aa', false],
])('%s matches %s: %s', (pattern, id, matches) => expect(matchesPattern(pattern, id)).toBe(matches))

const both = results('fail', 'fail')
const shown = { ...sampleCause, id: 'x.y', checks: ['c0', 'c1'] }
test.each<[string, boolean]>([
  ['x.y', true],
  ['x.*', true],
  ['r', true],
  ['c*', true],
  ['c0', false],
  ['other', false],
])('a cause is expected by %s: %s', (id, isExpected) => {
  expect(withExpectedReasons([shown], both, [entry(id)])[0]?.reason).toBe(isExpected ? 'ticket 7' : undefined)
})

test.each<[string, Outcome[], Expectation, RegExp | undefined]>([
  ['fails', ['fail', 'pass'], entry('r'), undefined],
  ['passes', ['pass', 'skip'], entry('r'), /says that it fails, and it passes/],
  ['passes, but is flaky', ['pass'], entry('r', 'flaky'), undefined],
  ['did not run', ['skip'], entry('r'), undefined],
  ['matches nothing', ['fail'], entry('gone'), /matches no cause, requirement, check or observation/],
  ['is flaky and matches nothing', ['fail'], entry('gone*', 'flaky'), /matches no cause/],
  ['is part of the suite, not of the run', ['fail'], entry('left-out'), undefined],
  ['names a cause by a requirement and an operation', ['fail'], entry('r/query-logs'), undefined],
  ['names a cause with a number', ['fail'], entry('r/query-logs/2'), undefined],
  ['names a cause of a check that did not run', ['fail'], entry('left-out/2', 'flaky'), undefined],
  ['names a cause that is gone', ['pass'], entry('r/query-logs'), /it passes/],
  ['names a cause of nothing', ['fail'], entry('gone/2'), /matches no cause/],
])('an entry that %s', (_, outcomes, one, sentence) => {
  const checks = results(...outcomes).map((each) => (each.outcome === 'fail' ? { ...each, cause: 'x' } : each))
  const [stale] = staleExpectations([one], checks, ['left-out'])
  sentence ? expect(stale).toMatch(sentence) : expect(stale).toBeUndefined()
})

test('an entry is not out of date while one of its checks has sent nothing, for example after an interruption', () => {
  const [passed, unsent] = results('pass', 'skip').map((one) => ({ ...one, requests: one.outcome === 'pass' ? 1 : 0 }))
  const stale = (...checks: (typeof passed)[]) =>
    staleExpectations(
      [entry('r')],
      checks.flatMap((one) => one ?? []),
      [],
    )
  expect(stale(passed, unsent)).toEqual([])
  expect(stale(passed, unsent && { ...unsent, deferred: true })).toHaveLength(1)
})

test('an observation with another value than the stated one fails', () => {
  const list = [{ id: 'point.*', is: 'shows', value: { status: 403 }, reason: 'observed' } as const]
  const observations = [
    { id: 'point.a', value: { status: 403 } },
    { id: 'point.b', value: { status: 404 } },
    { id: 'other', value: 1 },
  ]
  expect(statedObservations(list, observations)).toMatchObject([
    { id: 'point.a', outcome: 'pass' },
    { id: 'point.b', outcome: 'fail', source: 'unspecified', evidence: { seen: { text: '{"status":404}' } } },
  ])
})

test.each([
  ['{', 'invalid JSON'],
  ['{}', 'must be an array'],
  ['[{"id": "a", "is": "fails"}]', 'must have the key "reason"'],
  ['[{"id": "a", "is": "fails", "reason": " "}]', '0.reason must match pattern'],
  ['[{"id": "a", "is": "burns", "reason": "b"}]', '0.is must be equal to one of the allowed values'],
  ['[{"id": "a", "is": "shows", "reason": "b"}]', 'must have the key "value"'],
  ['[{"id": "a", "is": "fails", "reason": "b", "until": "c"}]', 'unknown key "until" in 0'],
  ['[{"id": "a", "is": "fails", "reason": "b"}, {"id": "a", "is": "fails", "reason": "c"}]', 'a is listed twice'],
])('%s is refused in one sentence', async (text, sentence) => {
  writeFileSync(file, text)
  const refused = readExpectations(file)
  await expect(refused).rejects.toThrow(SuiteConfigurationError)
  await expect(refused).rejects.toThrow(sentence)
})
