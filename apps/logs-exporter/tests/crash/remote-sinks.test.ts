import { expect, test } from 'vitest'
import { crash } from './campaign.ts'
import { s3 } from './objects.ts'
import { postgres } from './postgres.ts'

/** One run of the campaign that kills the exporter. `tests/campaigns/crash.ts` executes any number of runs. */
const seed = 1

test.each([
  ['s3', s3],
  ['postgres', postgres],
])(
  'killed at any point, with faults on every connection: %s has each row once',
  { timeout: 240_000 },
  async (_name, start) => {
    const sink = await start()
    try {
      const { violations, kills, rows } = await crash(seed, sink)
      expect(violations).toEqual([])
      expect(kills).not.toEqual([])
      expect(rows).toBeGreaterThan(100)
    } finally {
      await sink.stop()
    }
  },
)
