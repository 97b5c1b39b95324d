import { operations } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { createPlan, noCheck, select } from './plan.ts'

const plan = createPlan()

test('every requirement that can be checked has a check, without which it would always be undecided', async () => {
  const open: string[] = []
  for (const { id, run } of plan.checks) {
    // The context is empty, so a real check throws an error of its own; only the placeholder throws `noCheck`.
    const error = await Promise.resolve({} as never)
      .then(run)
      .catch((reason) => reason)
    if (error?.message === noCheck) open.push(id)
  }
  expect(open).toEqual([])
})

test('no check decides a requirement that the contract marks as unchecked', () => {
  const decided = new Set(plan.checks.flatMap(({ requirements }) => requirements))
  const wrong = plan.requirements.filter(({ id, unchecked }) => unchecked !== undefined && decided.has(id))
  expect(
    wrong.map(({ id }) => id),
    'a check decides these: remove `unchecked`',
  ).toEqual([])
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
