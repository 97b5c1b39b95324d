import { operations } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { createPlan, select } from './plan.ts'

const plan = createPlan()
const documented = plan.requirements.filter(({ ground, unchecked }) => ground === 'document' && unchecked === undefined)

test('every requirement has a check, except those that say why none can look', () => {
  const looked = new Set(plan.checks.flatMap(({ requirements }) => requirements))
  expect(plan.requirements.filter(({ id, unchecked }) => unchecked === undefined && !looked.has(id))).toEqual([])
  expect(plan.requirements.filter(({ id, unchecked }) => unchecked !== undefined && looked.has(id))).toEqual([])
})

test('at least 55 requirements of the document can be checked', () => {
  expect(documented.length).toBeGreaterThanOrEqual(55)
})

test('a check has the ground of its requirements, and one through the document calls a documented operation', () => {
  const grounds = new Map(plan.requirements.map(({ id, ground }) => [id, ground]))
  for (const check of plan.checks) {
    expect(check.requirements.map((id) => grounds.get(id))).toEqual([check.ground])
    if (check.through === 'supplement') continue
    const named = operations.find(({ name }) => check.id.split(/[./]/).includes(name))
    expect(named?.ground, check.id).toBe('document')
  }
})

test('every operation of the contract has laws', () => {
  const names = operations.map(({ name }) => name)
  expect(names.filter((name) => !plan.checks.some(({ id }) => id.split(/[./]/).includes(name)))).toEqual([])
})

test('a selection keeps the checks that are asked for, and their requirements', () => {
  const selected = select(plan, { ground: 'document', through: 'document' })
  expect(selected.checks.length).toBeGreaterThan(0)
  expect(selected.checks.every(({ ground, through }) => ground === 'document' && through === 'document')).toBe(true)
  const looked = new Set(selected.checks.flatMap(({ requirements }) => requirements))
  expect(selected.requirements.every(({ id, unchecked }) => looked.has(id) || unchecked !== undefined)).toBe(true)
})
