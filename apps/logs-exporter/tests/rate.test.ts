/** No 429 is earned (§8), at the full permitted rate and after a restart that nobody announced. */
import { expect, it } from 'vitest'
import { createSimulation, hour, minute, second } from './support/simulation.ts'

it.each(['sliding', 'fixed', 'bucket'] as const)('with a %s window of the rate limit', async (rateWindow) => {
  let requests = 0
  const simulation = await createSimulation({
    traffic: { zones: 2, rowsPerSecond: 8 },
    variants: { rateWindow, pageCap: 1000 },
    plan: { margin: 70 * hour, looks: [] },
    isLimited: true,
    // Answers take their time, and not always the same.
    latency: () => ((++requests * 7919) % 280) + 20,
  })
  const { emulator, zones } = simulation
  const end = simulation.start()
  await simulation.pass(15 * second)
  await end()
  // As after SIGKILL: the ledger says that a process had the zone, and not until when it asked.
  for (const zone of zones) await simulation.ledger.recordBusyUntil(zone, Number.POSITIVE_INFINITY, 0)
  const again = simulation.start()
  await simulation.pass(6 * minute)
  await again()
  expect(requests).toBeGreaterThan(2 * 55)
  expect(emulator.journal.verdicts).toEqual([])
  expect(emulator.journal.entries.filter(({ status }) => status === 429)).toEqual([])
  for (const zone of zones)
    expect(await simulation.ledger.position(zone)).toBeGreaterThan(simulation.time.now() - 16 * minute)
})
