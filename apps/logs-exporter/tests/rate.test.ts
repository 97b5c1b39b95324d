/** The exporter never causes a 429 (§8), at the full permitted rate and after an unannounced restart. */
import { expect, test } from 'vitest'
import { createSimulation, hour, minute, second } from './support/simulation.ts'

test.each(['sliding', 'fixed', 'bucket'] as const)('with a %s window of the rate limit', async (rateWindow) => {
  let requests = 0
  const simulation = await createSimulation({
    traffic: { zones: 1, rowsPerSecond: 8 },
    variants: { rateWindow, pageCap: 1000 },
    plan: { margin: 70 * hour, rechecks: [] },
    isLimited: true,
    // Responses take time, and not always the same.
    latency: () => ((++requests * 7919) % 280) + 20,
  })
  const { emulator, zones } = simulation
  await simulation.run(15 * second)
  // The next process knows nothing about the requests of this one, and begins at once.
  await simulation.run(2.5 * minute)
  expect(requests).toBeGreaterThan(55)
  expect(emulator.journal.violations).toEqual([])
  expect(emulator.journal.entries.filter(({ status }) => status === 429)).toEqual([])
  for (const zone of zones)
    expect(await simulation.ledger.position(zone)).toBeGreaterThan(simulation.time.now() - 16 * minute)
})
