import { expect, test } from 'vitest'
import { createPlan } from './plan.ts'
import { withholdOnLive } from './withhold.ts'

const { checks } = createPlan()

function sentBy(allow: Parameters<typeof withholdOnLive>[1], today = new Date('2026-06-17')) {
  const withheld = withholdOnLive(checks, allow, today)
  return checks.filter(({ id }) => !withheld.has(id))
}

test('without permission only reads are sent, and no burst', () => {
  const sent = sentBy([])
  expect(sent.length).toBeGreaterThan(50)
  expect(sent.filter(({ effect, burst }) => effect !== 'read' || burst)).toEqual([])
})

test('each permission allows its own kind of check and no other', () => {
  expect(new Set(sentBy(['write']).map(({ effect }) => effect))).toEqual(new Set(['read', 'write']))
  expect(new Set(sentBy(['destructive']).map(({ effect }) => effect))).toEqual(new Set(['read', 'destructive']))
  expect(sentBy(['burst']).some(({ burst }) => burst)).toBe(true)
  expect(sentBy(['write', 'destructive']).some(({ burst }) => burst)).toBe(false)
})

test.each([[[]], [['write']], [['write', 'destructive', 'burst']]] as const)(
  'with %j one wrong key is sent to each interface',
  (allow) => {
    const interfaces = checks.filter(({ wrongKey }) => wrongKey).map(({ id }) => id.split('.')[0])
    expect(interfaces).toEqual(expect.arrayContaining(['management', 'logging']))
    const wrong = sentBy(allow).filter(({ wrongKey }) => wrongKey)
    expect(wrong.map(({ id }) => id.split('.')[0]).sort()).toEqual([...new Set(interfaces)].sort())
  },
)

test('after some days each check with a wrong key has run, and each day withholds the others', () => {
  const allow = ['write', 'destructive', 'burst'] as const
  const wrong = checks.filter(({ wrongKey }) => wrongKey).map(({ id }) => id)
  const nights = Array.from({ length: wrong.length }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)))
  const sent = nights.flatMap((night) => sentBy(allow, night).filter(({ wrongKey }) => wrongKey))
  expect(new Set(sent.map(({ id }) => id))).toEqual(new Set(wrong))
  const [deferred] = [...withholdOnLive(checks, allow, nights[0]).values()]
  expect(deferred).toMatchObject({ deferred: true })
})

test('with the permission, a run sends each wrong key', () => {
  const sent = sentBy(['write', 'destructive', 'burst', 'wrong-keys'])
  expect(sent.filter(({ wrongKey }) => wrongKey)).toEqual(checks.filter(({ wrongKey }) => wrongKey))
})
