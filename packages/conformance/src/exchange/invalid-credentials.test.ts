import { contracts } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { invalidCredential, wrongKey } from './invalid-credentials.ts'

test('in one run, the operations of an interface together send each form of a wrong key; in several runs, each operation does', () => {
  const accessKey = '0123abcd-4567'
  const all = assertDefined(invalidCredential['wrong-key']).make(accessKey)
  const fixtures = { credentials: { accessKey } }
  const { operations } = contracts.management
  const keysOf = (seeds: readonly number[], some = operations) =>
    new Set(seeds.flatMap((seed) => some.map((operation) => wrongKey({ fixtures, seed }, operation))))
  expect(all.length).toBeGreaterThan(5)
  expect(keysOf([20_260_617])).toEqual(new Set(all))
  expect(keysOf([1, 2, 3, 4, 5, 6], operations.slice(0, 1))).toEqual(new Set(all))
})
