import { operations } from '@cdn/api/contract'
import { expect, test } from 'vitest'
import { createPlan } from '../plan.ts'
import { handMutants, mutants, operatorMutants } from './all.ts'

const { requirements } = createPlan()
const checkable = requirements.filter(({ unchecked }) => unchecked === undefined).map(({ id }) => id)

function breaking(id: string) {
  return mutants.filter(({ breaks }) => breaks.includes(id))
}

test('there are at least 100 mutants, each with an id of its own, at least half of them from operators', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(100)
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
  expect(operatorMutants.length).toBeGreaterThanOrEqual(handMutants.length)
})

test('a mutant breaks requirements that a check can look at, and no others', () => {
  for (const { id, breaks } of mutants) {
    expect(breaks, id).not.toEqual([])
    expect(
      breaks.filter((broken) => !checkable.includes(broken)),
      id,
    ).toEqual([])
  }
})

test('every requirement that can be checked has a mutant', () => {
  expect(checkable.filter((id) => breaking(id).length === 0)).toEqual([])
})

test('each limit, boundary and credential rule of the document has at least two', () => {
  const rule = /rate-limit|retention|-length$|authentication|access-key$|bearer$|\.401$|\.scope-/
  const rules = requirements.filter(({ id, ground }) => ground === 'document' && rule.test(id))
  expect(rules.length).toBeGreaterThan(12)
  const few = rules.filter(({ id, unchecked }) => unchecked === undefined && breaking(id).length < 2)
  expect(few.map(({ id }) => id)).toEqual([])
})

test('operators make mutants for every operation of the contract', () => {
  for (const { name } of operations) {
    expect(operatorMutants.filter(({ operations: altered }) => altered?.includes(name)).length, name).toBeGreaterThan(3)
  }
})
