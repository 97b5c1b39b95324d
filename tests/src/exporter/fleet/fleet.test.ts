import { describe, expect, test } from 'vitest'
import { type Campaign, runCampaign } from './campaign.ts'

/** The whole campaign in small: everything happens, more often and to less. */
const small: Omit<Campaign, 'sink'> = {
  workers: 2,
  zones: 8,
  hotZones: 1,
  forMs: 10_000,
  killEveryMs: 4_000,
  stopMs: 2_500,
  pastMs: 60_000,
  windowMs: 2_000,
  looksMs: [3_000, 10_000],
  maxLatenessMs: 8_000,
  times: { leaseMs: 1_500, renewMs: 400, marginMs: 400, quietMs: 11_000, affinityMs: 3_000, pollMs: 50 },
}

describe('a fleet whose workers are killed and stopped, with a database that restarts and answers that are lost', () => {
  test.concurrent.each(['s3', 'postgres'] as const)(
    'loses nothing, doubles nothing, and keeps the rate limit: %s',
    { timeout: 300_000 },
    async (sink) => {
      const result = await runCampaign({ ...small, sink })
      expect(result.violations.slice(0, 5)).toEqual([])
      expect(result.overLimit).toBe(0)
      expect(result.exitCodes).toEqual([130, 130])
      for (const part of ['comparedMs', 'rows', 'kills', 'stops', 'cuts'] as const)
        expect(result[part], part).toBeGreaterThan(0)
    },
  )
})
