import { expect, it } from 'vitest'
import { crash } from './campaign.ts'
import { files } from './sinks.ts'

/** `scripts/crash.ts` makes hundreds of such runs. */
it.each([
  [5, 'gzip'],
  [7, 'zstd'],
  [100, 'zstd'],
] as const)(
  'an exporter that is killed and started again loses and doubles nothing: seed %i, %s',
  async (seed, compression) => {
    const { violations, kills, rows } = await crash(seed, files(compression))
    expect(violations).toEqual([])
    expect(kills.length).toBeGreaterThan(0)
    expect(rows).toBeGreaterThan(300)
  },
)
