import { expect, test } from 'vitest'
import { start } from '../../tests/support/start.ts'
import { chooseVariants } from './variants.ts'

// The effect of each variant is tested in tests/src/emulator, and that each conforms to the spec by the conformance suite.

test('a test fails if a response breaks the contract', async () => {
  const { emulator, ask } = await start()
  emulator.state.resources.change('/pullzone', '2001', { AllowedReferrers: [1] })
  await expect(ask.management('pullzone/2001')).rejects.toThrow(
    /GET \/pullzone\/2001 breaks the contract: full: \/AllowedReferrers\/0 must be string/,
  )
})

test('unknown variants are rejected with one sentence', () => {
  // Callers without types can pass anything.
  const choose = (chosen: object) => chooseVariants(chosen)
  expect(() => choose({ nonsense: 1 })).toThrow('variants has an unknown key "nonsense": expected one of addSuccess, ')
  expect(() => choose({ addSuccess: 202 })).toThrow('variants.addSuccess must be one of 204, 200, 201, not 202')
})
