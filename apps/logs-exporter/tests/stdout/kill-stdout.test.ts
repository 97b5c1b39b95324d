import { expect, test } from 'vitest'
import { killStdout } from './kill-stdout.ts'

/** A small version of the campaign. */
test('a killed process loses no row, and each kill doubles at most one piece', { timeout: 300_000 }, async () => {
  const { rows, missing, doubled, kills } = await killStdout(3)
  expect({ rows, missing }).toEqual({ rows: 48, missing: 0 })
  expect(doubled).toBeLessThanOrEqual(kills * 4)
})
