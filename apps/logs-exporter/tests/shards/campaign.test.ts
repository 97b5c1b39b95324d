import { expect, test } from 'vitest'
import { runCampaign } from './campaign.ts'

/** A small version of the whole campaign, with the same events in a shorter time. */
test('shards that are killed, stopped, run twice, resized or lose a disk neither lose nor duplicate rows', {
  timeout: 300_000,
}, async () => {
  const result = await runCampaign({
    shards: 2,
    zones: 4,
    hotZones: 1,
    hotRowsPerSecond: 50,
    forMs: 12_000,
    killEveryMs: 3_000,
    isDiskLostWithKill: true,
    stopMs: 2_000,
    windowMs: 5_000,
    rechecksMs: [3_000, 10_000],
    maxLatenessMs: 8_000,
    pastMs: 60_000,
    maxCatchUpMs: 240_000,
  })
  expect(result.violations.slice(0, 5)).toEqual([])
  expect(result.gaps).toBe(0)
  for (const part of ['comparedMs', 'rows', 'kills', 'rolled'] as const) expect(result[part], part).toBeGreaterThan(0)
})
