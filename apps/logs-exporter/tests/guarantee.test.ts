import { expect, it } from 'vitest'
import { createSimulation, hour, minute } from './support/simulation.ts'

it('exports late rows, ties and hostile text once, as they come', async () => {
  const traffic = { zones: 2, rowsPerSecond: 0.2, lateShare: 0.1, maxLatenessMs: 5 * hour, tieShare: 0.2 }
  const simulation = await createSimulation({ traffic })
  const begin = simulation.time.now()
  const end = simulation.start()
  await simulation.pass(14 * hour)
  await end()
  for (const zone of simulation.zones) {
    const to = begin + 7 * hour
    expect(await simulation.violations(zone, begin - 60 * hour, to)).toEqual([])
    expect(simulation.sink.exported(zone).some(({ revision }) => revision > 1)).toBe(true)
  }
  expect(simulation.events.filter(({ type }) => type === 'failed' || type === 'anomaly')).toEqual([])
  expect(minute).toBe(60_000)
})
