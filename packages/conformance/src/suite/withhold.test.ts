import { expect, test } from 'vitest'
import { createPlan } from '../plan.ts'
import { withholdOnLive } from './withhold.ts'

const { checks } = createPlan()

function sentBy(allow: Parameters<typeof withholdOnLive>[1]) {
  const withheld = withholdOnLive(checks, allow)
  return checks.filter(({ id }) => !withheld.has(id))
}

test('without permission only reads are sent, and no burst', () => {
  const sent = sentBy([])
  expect(sent.length).toBeGreaterThan(50)
  expect(sent.filter(({ effect, burst }) => effect !== 'read' || burst)).toEqual([])
})

test('each permission lets its own kind through and no other', () => {
  expect(new Set(sentBy(['write']).map(({ effect }) => effect))).toEqual(new Set(['read', 'write']))
  expect(new Set(sentBy(['destructive']).map(({ effect }) => effect))).toEqual(new Set(['read', 'destructive']))
  expect(sentBy(['burst']).some(({ burst }) => burst)).toBe(true)
  expect(sentBy(['write', 'destructive']).some(({ burst }) => burst)).toBe(false)
})

test.each([[[]], [['write']], [['write', 'destructive', 'burst']]] as const)(
  'with %j at most two wrong keys are sent, one an interface where that is possible',
  (allow) => {
    const wrong = sentBy(allow).filter(({ wrongKey }) => wrongKey)
    expect(wrong).toHaveLength(2)
    expect(new Set(wrong.map(({ id }) => id.split('.')[0]))).toEqual(new Set(['management', 'logging']))
  },
)
