import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import type { CheckResult, Outcome } from '../report/model.ts'
import { createPlan } from '../run/plan.ts'
import { assembleReport, type RunFacts } from './assemble.ts'
import { resultOf } from './result.ts'

const all = createPlan()
const plan = { checks: all.checks.slice(0, 2), requirements: all.requirements, parts: new Map(), ids: all.ids }
const [first, second] = plan.checks

function report(outcomes: Outcome[], rest: Partial<RunFacts> = {}, observed?: unknown) {
  const runs = outcomes.map((outcome, index) => {
    const { run: _, needs: __, ...check } = defined(plan.checks[index])
    const result: CheckResult = { ...check, outcome, durationMs: 1, requests: 1 }
    const observations = observed === undefined ? [] : [{ id: 'point', value: observed, drift: false }]
    return { result, observations, breaches: [], operations: [] }
  })
  const target = { kind: 'emulator' } as const
  return assembleReport({
    plan,
    runs,
    startedAt: '2026-01-01T00:00:00Z',
    durationMs: 1,
    status: 'complete',
    seed: 1,
    target,
    ...rest,
  })
}

const live = { kind: 'live' } as const
const baseline = { target: 'emulator', observedAt: '', observations: { point: 1 } } as const
const known = (id = '') => ({ expectedFailures: [{ id, reason: 'ticket 7' }] })
const leaks = ['could not delete x: status 500']

test.each<[string, ReturnType<typeof report>, number]>([
  ['all pass', report(['pass', 'pass']), 0],
  ['one fails', report(['pass', 'fail']), 1],
  ['a failure wins over an error', report(['error', 'fail']), 1],
  ['an error', report(['error', 'pass']), 2],
  ['nothing ran', report(['skip', 'disabled']), 2],
  ['an expected failure', report(['fail', 'pass'], known(first?.id)), 0],
  ['an expected failure and another one', report(['fail', 'fail'], known(first?.id)), 1],
  ['an expected failure that passes', report(['pass', 'pass'], known(first?.id)), 2],
  ['an expected failure of another part of the suite', report(['pass', 'pass'], known(all.checks.at(-1)?.id)), 0],
  ['an unknown id on the list', report(['pass', 'pass'], known('no.such.check')), 2],
  ['drift', report(['pass', 'pass'], { baseline, target: live }, 2), 0],
  ['drift of the emulator', report(['pass', 'pass'], { baseline }, 2), 1],
  ['drift with --fail-on drift', report(['pass', 'pass'], { baseline, target: live, failOn: ['drift'] }, 2), 1],
  ['no drift with --fail-on drift', report(['pass', 'pass'], { baseline, target: live, failOn: ['drift'] }, 1), 0],
  ['a leak', report(['pass', 'pass'], { leaks }), 1],
  ['interrupted, also with a failure', report(['fail'], { status: 'interrupted' }), 130],
  ['crashed, also with a failure', report(['fail'], { status: 'crashed', faults: ['Worker exited'] }), 2],
])('%s', (_, result, code) => {
  expect(result.exitCode).toBe(code)
  // The page shows a run as passed if and only if the exit code is 0.
  expect(resultOf(result).outcome === 'pass').toBe(code === 0)
})

test('a check that did not run before an early end is in the report, with the reason', () => {
  const { checks } = report(['pass'], { status: 'interrupted' })
  expect(checks[1]).toMatchObject({ id: second?.id, outcome: 'skip', message: 'not run: the run was interrupted' })
})

test('errors of the suite and leaks are in every report', () => {
  const { checks } = report(['pass', 'pass'], { status: 'crashed', faults: ['Worker exited'], leaks })
  expect(checks.slice(2).map(({ id, outcome, message }) => [id, outcome, message])).toEqual([
    ['suite/1', 'error', 'fault of the suite: Worker exited'],
    ['sweep/1', 'fail', 'The sweep could not delete x: status 500.'],
  ])
})

test('a 500 that does not match the spec breaks the requirements that no check can provoke', () => {
  const ids = ['logging.query-logs.500', 'logging.errors.internal-error']
  const breach = { id: 'exchange.query-logs', source: 'spec', requirements: ids, message: 'HTML', check: 'a' } as const
  const result = defined(report(['pass']).checks[0])
  const { requirements } = report([], {
    runs: [{ result, observations: [], breaches: [breach], operations: ['query-logs'] }],
  })
  expect(
    requirements
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(ids.toSorted())
})

test('an undecided required requirement fails the run', () => {
  const { requirements: required } = defined(first)
  expect(report(['skip', 'pass'], { required }).exitCode).toBe(1)
  expect(report(['pass', 'pass'], { required }).exitCode).toBe(0)
})
