import { rateLimit } from '@cdn/api'
import { expect, test } from 'vitest'
import { runDowntime } from './support/downtime.ts'
import { hour, minute, second } from './support/simulation.ts'

/** `tests/campaigns/downtime.ts` does the same with 200 zones and 48 hours. */
test('after a downtime of the exporter and one of the platform, every row is exported or reported as lost', async () => {
  const page = 4
  const permitted = (rateLimit.requests * page * 1000) / rateLimit.windowMs
  const zones = [1.5, 0.9, 0.01, 0.01].map((share, index) => ({
    zone: String(10_001 + index),
    rowsPerSecond: permitted * share,
  }))
  const { outcomes, refusals, events } = await runDowntime({
    zones,
    page,
    latency: 50,
    downtime: 2 * hour,
    working: hour,
    plan: { window: minute, lateness: 30 * second, rechecks: [10 * minute], margin: 10 * minute, retention: 3 * hour },
  })
  expect(refusals).toBe(0)
  expect(outcomes.map(({ unaccounted }) => unaccounted)).toEqual([0, 0, 0, 0])
  for (const { exported, oracle } of outcomes) expect(exported / oracle).toBeGreaterThan(0.97)
  expect(outcomes[0]?.lost).toBeGreaterThan(0)
  expect(outcomes[3]?.lost).toBe(0)
  expect(events['gap']).toBeGreaterThan(0)
})
