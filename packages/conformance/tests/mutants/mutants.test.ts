import { operations } from '@cdn/api/contract'
import { expect, test } from 'vitest'

import { createPlan } from '../../src/index.ts'
import { customMutants, operatorMutants, serverMutants } from './all-mutants.ts'

const { requirements } = createPlan()
const checkable = requirements.filter(({ unchecked }) => unchecked === undefined).map(({ id }) => id)

function breaking(id: string) {
  return serverMutants.filter(({ breaks }) => breaks.includes(id))
}

test('there are at least 100 mutants, each with a unique id, at least half of them from operators', () => {
  expect(serverMutants.length).toBeGreaterThanOrEqual(100)
  expect(new Set(serverMutants.map(({ id }) => id)).size).toBe(serverMutants.length)
  expect(operatorMutants.length).toBeGreaterThanOrEqual(customMutants.length)
})

test('a mutant breaks only requirements that have a check', () => {
  for (const { id, breaks } of serverMutants) {
    expect(breaks, id).not.toEqual([])
    expect(
      breaks.filter((broken) => !checkable.includes(broken)),
      id,
    ).toEqual([])
  }
})

test('every requirement that can be checked has a mutant', () => {
  expect(
    checkable.filter((id) => breaking(id).length === 0),
    'no mutant breaks these: add one to tests/mutants/operators, or to tests/mutants/custom if only one operation has such a rule',
  ).toEqual([])
})

test('each limit, boundary and credential rule of the spec has at least two mutants', () => {
  const rule = /rate-limit|retention|-length$|authentication|access-key$|bearer$|\.401$|\.scope-/
  const rules = requirements.filter(({ id, source }) => source === 'spec' && rule.test(id))
  expect(rules.length).toBeGreaterThan(12)
  const few = rules.filter(({ id, unchecked }) => unchecked === undefined && breaking(id).length < 2)
  expect(
    few.map(({ id }) => id),
    'Fewer than two mutants break these: add one to tests/mutants/operators.',
  ).toEqual([])
})

test('operators make mutants for every operation of the contract', () => {
  for (const { name } of operations) {
    expect(operatorMutants.filter(({ operations: altered }) => altered?.includes(name)).length, name).toBeGreaterThan(3)
  }
})
