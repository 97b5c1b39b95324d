import { expect, test } from 'vitest'
import { crash } from './campaign.ts'
import { sinks } from './sinks.ts'

/** `tests/campaigns/crash.ts` executes hundreds of such runs. */
test.each([
  [5, 'files-gzip'],
  [100, 'files-parquet'],
])('a killed and restarted exporter neither loses nor duplicates a row: seed %i, %s', async (seed, name) => {
  const sink = await sinks[name]?.()
  if (!sink) throw new Error(`Unknown sink ${name}`)
  const { violations, kills, rows } = await crash(seed, sink)
  expect(violations).toEqual([])
  expect(kills.length).toBeGreaterThan(0)
  expect(rows).toBeGreaterThan(300)
})
