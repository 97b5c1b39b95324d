import { expect, test } from 'vitest'
import { crash } from './campaign.ts'
import { files } from './sinks.ts'

/** `tests/campaigns/crash.ts` executes hundreds of such runs. */
test.each([
  [5, 'gzip'],
  [100, 'zstd'],
] as const)(
  'a killed and restarted exporter neither loses nor duplicates a row: seed %i, %s',
  async (seed, compression) => {
    const { violations, kills, rows } = await crash(seed, files(compression))
    expect(violations).toEqual([])
    expect(kills.length).toBeGreaterThan(0)
    expect(rows).toBeGreaterThan(300)
  },
)
