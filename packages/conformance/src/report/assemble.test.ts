import { expect, test } from 'vitest'
import { createPlan } from '../plan.ts'
import { assembleReport, type RunFacts } from './assemble.ts'
import type { CheckResult, Outcome } from './model.ts'
import { judge } from './summarize.ts'

const all = createPlan()
const plan = { checks: all.checks.slice(0, 2), requirements: all.requirements }
const [first, second] = plan.checks

function report(outcomes: Outcome[], rest: Partial<RunFacts> = {}, observed?: unknown) {
  const runs = outcomes.map((outcome, index) => {
    const { run: _, needs: __, ...check } = plan.checks[index] as (typeof plan.checks)[number]
    const result: CheckResult = { ...check, outcome, durationMs: 1, requests: 1 }
    const observations = observed === undefined ? [] : [{ id: 'point', value: observed, drift: false }]
    return { result, observations, breaches: [], operations: [] }
  })
  const facts = { startedAt: '2026-01-01T00:00:00Z', durationMs: 1, status: 'complete', target: { kind: 'emulator' } }
  return assembleReport({ plan, runs, ...(facts as Pick<RunFacts, 'startedAt'>), ...rest } as RunFacts)
}

const baseline = { target: 'emulator', observedAt: '', observations: { point: 1 } } as const
const known = (id = '') => ({ knownFailing: [{ id, reason: 'ticket 7' }] })
const left = [
  {
    pending: { key: 'k', check: 'a.check', step: { text: 'x', method: 'POST', url: '', headers: {} } },
    reason: 'could not x: 500',
  },
]

test.each<[string, ReturnType<typeof report>, number]>([
  ['all pass', report(['pass', 'pass']), 0],
  ['one fails', report(['pass', 'fail']), 1],
  ['a failure outweighs an error', report(['error', 'fail']), 1],
  ['an error', report(['error', 'pass']), 2],
  ['nothing ran', report(['skip', 'disabled']), 2],
  ['a known failure', report(['fail', 'pass'], known(first?.id)), 0],
  ['a known failure and another', report(['fail', 'fail'], known(first?.id)), 1],
  ['a known failure that passes', report(['pass', 'pass'], known(first?.id)), 2],
  ['a known failure of another part of the suite', report(['pass', 'pass'], known(all.checks.at(-1)?.id)), 0],
  ['an unknown id on the list', report(['pass', 'pass'], known('no.such.check')), 2],
  ['drift', report(['pass', 'pass'], { baseline }, 2), 0],
  ['drift that counts', report(['pass', 'pass'], { baseline, failOnDrift: true }, 2), 1],
  ['no drift where it counts', report(['pass', 'pass'], { baseline, failOnDrift: true }, 1), 0],
  ['a write that stands', report(['pass', 'pass'], { left }), 2],
  ['interrupted, whatever failed', report(['fail'], { status: 'interrupted' }), 130],
  ['crashed, whatever failed', report(['fail'], { status: 'crashed', faults: ['Worker exited'] }), 2],
])('%s', (_, { exitCode, ...rest }, code) => {
  expect(exitCode).toBe(code)
  // What exits 0 reads well, and nothing else does.
  expect(judge({ exitCode, ...rest }).outcome === 'pass').toBe(code === 0)
})

test('a check that an early end did not let run is there, and says so', () => {
  const { checks } = report(['pass'], { status: 'interrupted' })
  expect(checks[1]).toMatchObject({ id: second?.id, outcome: 'skip', message: 'not run: the run was interrupted' })
})

test('faults of the suite and writes that stand are in every report, as errors', () => {
  const { checks } = report(['pass', 'pass'], { status: 'crashed', faults: ['Worker exited'], left })
  expect(checks.slice(2).map(({ id, outcome, message }) => [id, outcome, message])).toEqual([
    ['suite/1', 'error', 'fault of the suite: Worker exited'],
    ['undo/1', 'error', 'could not x: 500 (written by a.check)'],
  ])
})
