import { expect, test } from 'vitest'
import { killOften } from './kill-often.ts'

/** A small version of the campaign: a life ends as soon as it has published a segment, so that a busy machine does not matter. */
test('a daemon that is killed every second or two exports in each of its lives, and neither loses nor doubles a row', {
  timeout: 300_000,
}, async () => {
  const result = await killOften({ zones: 1, killEveryMs: 1000, forMs: 8000, patienceMs: 60_000, pastMs: 30_000 })
  const { standstills, lost, doubled, violations, kills, overLimit } = result
  expect({ standstills, lost, doubled, violations }).toEqual({ standstills: 0, lost: 0, doubled: 0, violations: [] })
  expect(kills).toBeGreaterThan(1)
  expect(overLimit).toBeLessThanOrEqual(kills)
})
