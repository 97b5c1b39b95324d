/**
 * Ten thousand zones on virtual time, for docs/scaling.md: `node tests/src/exporter/fleet/simulate.ts [zones] [minutes]`.
 *
 * First the exporter itself, with the emulator in its process and a sink in memory: one worker, and what a turn costs. Then
 * a model of a fleet with the real queue and that cost: how many workers it takes.
 */
import { createSimulation, hour, minute } from '@cdn/logs-exporter/tests/support/simulation.ts'
import { modelFleet } from './model.ts'

const [zones = 10_000, minutes = 20] = process.argv.slice(2).map(Number)

/** Exports zones for a while, and says what it took. */
async function exportZones() {
  const retention = 72 * hour
  const simulation = await createSimulation({
    isLimited: true,
    latency: 50,
    plan: { margin: retention - 10 * minute, looks: [10 * minute] },
    traffic: { zones, rowsPerSecond: 0.02, lateShare: 0.05 },
  })
  const before = process.cpuUsage()
  const stop = simulation.start()
  await simulation.pass(minutes * minute)
  const { user, system } = process.cpuUsage(before)
  await stop()
  const count = (type: string) => simulation.events.filter((event) => event.type === type).length
  const lags = simulation.events.flatMap((event) => (event.type === 'position' ? [event.settled - event.position] : []))
  return {
    zones,
    minutes,
    turns: count('turn'),
    windows: count('window'),
    rows: simulation.sink.rows(),
    failures: count('failed'),
    gaps: count('gap'),
    overLimit: simulation.emulator.journal.verdicts.filter(({ name }) => name === 'over-limit').length,
    largestBacklogMinutes: lags.slice(-zones).reduce((a, b) => Math.max(a, b), 0) / minute,
    cpuMsATurn: (user + system) / 1000 / count('turn'),
    megabytes: Math.round(process.memoryUsage.rss() / 1e6),
  }
}

const measured = await exportZones()
console.log('One worker, the exporter itself (the emulator takes a part of the processor):')
console.log(measured)

console.log('\nA fleet, modelled: 10,000 zones, 5-minute windows, 100 ms a request')
const costs = { turnMs: measured.cpuMsATurn, rowMs: 1 / 300, requestMs: 100 }
const table = [100_000, 500_000, 1_000_000].flatMap((rowsPerSecond) =>
  [1, 2, 4, 8].map((workers) => ({
    rowsPerSecond,
    workers,
    ...modelFleet({ zones: 10_000, workers, rowsPerSecond, ...costs }),
  })),
)
console.table(table)
