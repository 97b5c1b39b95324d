import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { sampleExchange } from '../../tests/support/samples.ts'
import { SuiteConfigurationError, value, wrong } from '../exchange/failure.ts'
import type { CheckResult, Outcome } from '../exchange/report-model.ts'
import { createPlan } from '../run/plan.ts'
import { assembleReport, notStartedReport, type RunFacts } from './assemble-report.ts'
import { resultOf } from './result.ts'

const all = createPlan()
const plan = { ...all, checks: all.checks.slice(0, 2), parts: new Map() }
const [first, second] = plan.checks

function report(outcomes: Outcome[], rest: Partial<RunFacts> = {}, observed?: unknown) {
  const runs = outcomes.map((outcome, index) => {
    const { id, requirements, source, basis, effect } = assertDefined(plan.checks[index])
    const evidence = { expected: value('this'), seen: wrong('that'), exchanges: [] }
    const facts = { id, requirements, source, basis, effect, outcome, durationMs: 1, requests: 1 } as const
    const result: CheckResult = outcome === 'fail' ? { ...facts, evidence } : facts
    const observations = observed === undefined ? [] : [{ id: 'point', value: observed }]
    return { result, observations, breaches: [], operations: [] }
  })
  const facts = { startedAt: '2026-01-01T00:00:00Z', durationMs: 1, status: 'complete', seed: 1 } as const
  return assembleReport({ plan, runs, ...facts, target: { kind: 'emulator' }, ...rest })
}

const live = { kind: 'live' } as const
const expected = (id = '', is: 'fails' | 'flaky' = 'fails') => ({ expectations: [{ id, is, reason: 'ticket 7' }] })
const stated = { expectations: [{ id: 'point', is: 'shows', value: 1, reason: 'observed' }] } as const

test.each<[string, ReturnType<typeof report>, number, RegExp]>([
  ['all pass', report(['pass', 'pass']), 0, /^The emulator conforms: 2 of \d+ sentences hold; \d+ are undecided\.$/],
  [
    'only a sentence of another source than the spec holds',
    report(['skip', 'pass'], { target: live }),
    0,
    /^The live platform shows no failure, but decides no sentence that can fail the run\.$/,
  ],
  ['one fails', report(['pass', 'fail']), 1, /^The emulator does not conform: 1 cause breaks 1 of \d+ sentences\.$/],
  ['a failure wins over an error', report(['error', 'fail']), 1, /does not conform/],
  ['an error', report(['error', 'pass']), 2, /is undecided \(.*: no reason given\); \d+ of \d+ sentences are open/],
  ['nothing ran', report(['skip', 'skip']), 2, /^The run against the emulator decided no sentence/],
  [
    'an expected failure',
    report(['fail', 'pass'], expected(first?.id)),
    0,
    /shows nothing new: 1 cause is expected, 1 of/,
  ],
  ['a flaky check that fails', report(['fail', 'pass'], expected(first?.id, 'flaky')), 0, /shows nothing new/],
  ['a flaky check that passes', report(['pass', 'pass'], expected(first?.id, 'flaky')), 0, /conforms/],
  ['an expected failure that passes', report(['pass', 'pass'], expected(first?.id)), 2, /and it passes: remove it/],
  [
    'an expected failure of another part of the suite',
    report(['pass', 'pass'], expected(all.checks.at(-1)?.id)),
    0,
    /conforms/,
  ],
  ['an unknown id on the list', report(['pass', 'pass'], expected('no.such.*')), 2, /matches no cause/],
  [
    'another value than the stated one',
    report(['pass', 'pass'], { ...stated, target: live }, 2),
    0,
    /does not contradict the spec: .* 1 cause outside the spec is below\.$/,
  ],
  ['another value of the emulator', report(['pass', 'pass'], stated, 2), 1, /1 cause breaks the contract/],
  [
    'another value that fails the run',
    report(['pass', 'pass'], { ...stated, target: live, failOn: ['unspecified'] }, 2),
    1,
    /live platform does not conform/,
  ],
  ['the stated value', report(['pass', 'pass'], stated, 1), 0, /conforms/],
  [
    'something left behind',
    report(['pass', 'pass'], { leaks: ['could not delete 7'] }),
    1,
    /^The run left 1 item behind: The sweep could not delete 7\.$/,
  ],
  [
    'interrupted, also with a failure',
    report(['fail'], { status: 'interrupted' }),
    130,
    /was interrupted; until then 1 cause breaks 1 of \d+ sentences\.$/,
  ],
  ['crashed, also with a failure', report(['fail'], { status: 'crashed', problems: ['Worker exited'] }), 2, /crashed/],
  [
    'not started: the first problem',
    report([], { status: 'not-started', problems: ['The key is refused.', 'And more.'] }),
    2,
    /^No check ran: The key is refused\.$/,
  ],
])('%s', (_, result, code, sentence) => {
  expect(result.exitCode).toBe(code)
  expect(resultOf(result).sentence).toMatch(sentence)
  // The page shows a run as passed if and only if the exit code is 0.
  expect(resultOf(result).outcome === 'pass').toBe(code === 0)
})

test.each([
  [new SuiteConfigurationError('Cannot read a file.', { cause: new Error('EISDIR') }), 'Cannot read a file.'],
  [new Error('oops'), 'Internal error: oops'],
])('the report of a run that did not start says why: %s', (error, problem) => {
  expect(notStartedReport({ target: 'emulator' }, plan, new Date(), error).problems).toEqual([problem])
})

test('a check that did not run before an early end is in the report, with the reason', () => {
  const { checks } = report(['pass'], { status: 'interrupted' })
  expect(checks[1]).toMatchObject({ id: second?.id, outcome: 'skip', message: 'not run: the run was interrupted' })
})

test('a 500 that does not match the spec breaks the requirements that no check can provoke', () => {
  const ids = ['logging.query-logs.500', 'logging.errors.internal-error']
  const breach = {
    id: 'exchange.query-logs',
    source: 'spec',
    requirements: ids,
    expected: value('JSON'),
    seen: wrong('HTML'),
    check: 'a',
    exchanges: [sampleExchange],
  } as const
  const result = assertDefined(report(['pass']).checks[0])
  const { requirements, causes } = report([], {
    runs: [{ result, observations: [], breaches: [breach], operations: ['query-logs'] }],
  })
  expect(requirements.flatMap(({ id, outcome }) => (outcome === 'fail' ? [id] : [])).toSorted()).toEqual(ids.toSorted())
  expect(causes).toMatchObject([{ requirements: ids, seen: wrong('HTML') }])
})

test('an undecided required requirement fails the run', () => {
  const { requirements: required } = assertDefined(first)
  expect(report(['skip', 'pass'], { required }).exitCode).toBe(1)
  expect(report(['pass', 'pass'], { required }).exitCode).toBe(0)
})
