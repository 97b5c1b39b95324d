import { apply, type Item, isStated, itemOf, type ModelCall, operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { declaredItems, isSweepable, undoOf } from './declared-state.ts'
import { pathOf, stateOf } from './items.ts'

const marked = 'a.conformance.invalid'
const first = { AllowedReferrers: ['customer.example'] }
const fixtures = { zoneId: '5', libraryId: '7', credentials: {} }

test.each([
  ['by default', {}, [marked, 'customer.example']],
  [
    'with a stated list and flag',
    { zoneId: { AllowedReferrers: ['b.example'] }, libraryId: { HasWatermark: false } },
    [marked, 'b.example', 17],
  ],
])('%s, each write that is taken back leaves the declared state', (_, state, values) => {
  for (const item of declaredItems({ ...fixtures, state })) {
    const { items, id, fields } = item
    const declared: Item = { ...first, ...fields, [assertDefined(items.resource.id)]: id }
    const after = (seen: Item, { operation, request }: ModelCall) =>
      assertDefined(
        itemOf(assertDefined(apply(stateOf(items, [seen]), operation, request)[0]).state, operation, request.path),
      )
    const writes = operations
      .filter(isStated)
      .filter(isSweepable)
      .filter(({ resource }) => resource === items.resource)
    expect(writes.length).toBeGreaterThan(1)
    for (const operation of writes)
      for (const value of values) {
        const { action } = operation
        const body = 'value' in action ? { [action.value]: value } : {}
        const write = { operation, request: { path: pathOf(operation, items, id), body } }
        expect(undoOf(item, write, first).reduce(after, after(declared, write))).toEqual(declared)
      }
  }
})

test.each([
  [{ zoneId: { AllowedReferrers: 'a' } }, /state\.zoneId\.AllowedReferrers, which must be a list/],
  [{ zoneId: { Name: 'a' } }, /state\.zoneId\.Name, which no operation changes: expected one of AllowedReferrers/],
  [{ loggedZoneId: {} }, /state\.loggedZoneId, which no operation changes/],
])('a state that no write can bring about is refused: %j', (state, message) => {
  expect(() => declaredItems({ ...fixtures, state } as Parameters<typeof declaredItems>[0])).toThrow(message)
})
