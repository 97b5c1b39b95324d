import { contracts, operations } from '@cdn/api/contract'
import { createEmulator, implemented } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { createPlan } from '../../run/plan.ts'
import { runCheck } from '../../run/run-check.ts'
import { sessionOn } from '../../run/targets/emulator.ts'
import { pointChecks } from './points.ts'
import { observedByChecks, unobservable } from './unobservable.ts'

const signal = new AbortController().signal
const unspecified = Object.values(contracts).flatMap((contract) => contract.unspecified.map(({ id }) => id))

test('every unspecified point has a point check, another check that records it, or a reason why no check can observe it', () => {
  const looked = new Set(pointChecks.map(({ id }) => id.replace('unspecified.', '')))
  const recorded = Object.keys(observedByChecks)
  const excused = new Set(Object.keys(unobservable))
  // A new area has no point checks. Once the emulator has a handler for an operation, this test requires them.
  const later = operations.filter(({ name }) => !implemented.has(name))
  const isLater = (id: string) => later.some((operation) => id.startsWith(`${operation.interface}.${operation.name}.`))
  const isCovered = (id: string) => looked.has(id) || recorded.includes(id) || excused.has(id) || isLater(id)
  expect(
    unspecified.filter((id) => !isCovered(id)),
    'nothing observes these: state `unchecked` with the reason, or add a point',
  ).toEqual([])
  expect(unspecified.filter((id) => looked.has(id) && (excused.has(id) || recorded.includes(id)))).toEqual([])
  expect([...excused, ...recorded].filter((id) => !unspecified.includes(id))).toEqual([])
})

test.each(Object.entries(observedByChecks))('%s is recorded by %j', async (point, [id, observation = point]) => {
  const check = assertDefined([...createPlan().checks, ...pointChecks].find((each) => each.id === id))
  const { result, observations } = await runCheck(check, sessionOn(await createEmulator()), { signal })
  expect(result).toMatchObject({ outcome: 'pass' })
  expect(observations.map((each) => each.id)).toContain(observation)
})

test('point checks have unique ids and cover no requirement', () => {
  const ids = [...createPlan().checks, ...pointChecks].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(pointChecks.filter(({ requirements, source }) => requirements.length > 0 || source === 'spec')).toEqual([])
})

test('a point check declares its writes', () => {
  const effects = new Map(pointChecks.map(({ id, effect }) => [id, effect]))
  expect(effects.get('unspecified.management.add-allowed-referrer.bearer')).toBe('write')
  expect(effects.get('unspecified.management.delete-watermark.error-body')).toBe('destructive')
  expect(effects.get('unspecified.logging.query-logs.sample')).toBe('read')
})

test('a point check with an unexpected response is skipped and never fails', async () => {
  const check = assertDefined(pointChecks.find(({ id }) => id === 'unspecified.logging.query-logs.sample'))
  const session = { ...sessionOn(await createEmulator()), fetch: async () => new Response('<html>') }
  const { result } = await runCheck(check, session, { signal })
  expect(result.outcome).toBe('skip')
  expect(result.message).toContain('nothing could be observed')
})
