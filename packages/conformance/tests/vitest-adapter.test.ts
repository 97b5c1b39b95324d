/** The adapter for vitest: each check is a test of its own. The command line runs all checks on both targets (cli.test.ts). */
import { afterAll, test } from 'vitest'
import { registerChecks } from '../src/run/vitest.ts'

const only = {
  mock: ['mock.query-logs.200', 'mock.query-logs.no-credential'],
  // The last one is skipped, with the reason.
  emulator: [
    'management.delete-watermark.204',
    'management.delete-watermark.effect/again',
    'management.errors.object/delete-watermark',
  ],
}
for (const target of ['mock', 'emulator'] as const)
  await registerChecks({ test, afterAll }, { target, only: only[target], out: undefined, seed: 1 })
