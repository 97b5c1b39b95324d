/** Each check as a test of its own, on the mock of the contract and on the emulator. */
import { afterAll, test } from 'vitest'
import { registerChecks } from '../src/run/vitest.ts'

for (const target of ['mock', 'emulator'] as const)
  await registerChecks({ test, afterAll }, { target, out: undefined, seed: 1 })
