import { operations } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { createPlan, select } from './plan.ts'

const plan = createPlan()

test('every requirement has a check, except those with the reason why none can', () => {
  const looked = new Set(plan.checks.flatMap(({ requirements }) => requirements))
  const ids = plan.requirements.map(({ id }) => id)
  const excused = new Set(plan.requirements.flatMap(({ id, unchecked }) => (unchecked === undefined ? [] : [id])))
  expect(
    ids.filter((id) => !excused.has(id) && !looked.has(id)),
    'no check tests these: give them an id that has a check (`conformance list`), or state under `unchecked` why none can',
  ).toEqual([])
  expect(
    ids.filter((id) => excused.has(id) && looked.has(id)),
    'a check tests these: remove `unchecked`',
  ).toEqual([])
})

test('a check has the source of its requirements, and one with the basis spec calls a documented operation', () => {
  const sources = new Map(plan.requirements.map(({ id, source }) => [id, source]))
  for (const check of plan.checks) {
    expect(check.requirements.map((id) => sources.get(id))).toEqual([check.source])
    if (check.basis === 'supplement') continue
    const named = operations.find(({ name }) => check.id.split(/[./]/).includes(name))
    expect(named?.source, check.id).toBe('spec')
  }
})

test('every operation of the contract has contract checks', () => {
  const names = operations.map(({ name }) => name)
  const without = names.filter((name) => !plan.checks.some(({ id }) => id.split(/[./]/).includes(name)))
  expect(without, 'No check calls these operations: state responses that a check can cause.').toEqual([])
})

test('a selection keeps the matching checks and their requirements; a pattern that matches nothing is an error', () => {
  const selected = select(plan, ['management.delete-watermark.*', 'logging.retention.3-days'])
  expect(selected.checks.map(({ id }) => id)).toContain('management.delete-watermark.effect')
  const isNamed = (id: string) => id.startsWith('management.delete-watermark.') || id === 'logging.retention.3-days'
  expect(selected.checks.every(({ id, requirements }) => [id, ...requirements].some(isNamed))).toBe(true)
  expect(selected.requirements.filter(({ id }) => isNamed(id)).length).toBeGreaterThan(5)
  expect(() => select(plan, ['management.*', 'management.delete-watermarks.*'])).toThrow(
    'management.delete-watermarks.* matches no check and no requirement of this target; "conformance list" shows those of the platform.',
  )
  expect(() => select(plan, ['.'])).toThrow('. matches no check')
})
