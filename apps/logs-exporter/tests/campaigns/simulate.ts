/**
 * Simulates ten thousand zones in one process in virtual time:
 * `node apps/logs-exporter/tests/campaigns/simulate.ts [zones] [minutes]`. The emulator runs in the same process, and the sink is in
 * memory.
 */
import { createSimulation, hour, minute } from '../support/simulation.ts'

const [zones = 10_000, minutes = 20] = process.argv.slice(2).map(Number)

/** Exports zones for a while, and prints the resource usage. */
async function exportZones() {
  const retention = 72 * hour
  const simulation = await createSimulation({
    isLimited: true,
    latency: 50,
    plan: { margin: retention - 10 * minute, rechecks: [10 * minute] },
    traffic: { zones, rowsPerSecond: 0.02, lateShare: 0.05 },
  })
  const before = process.cpuUsage()
  const stop = simulation.start()
  await simulation.pass(minutes * minute)
  const { user, system } = process.cpuUsage(before)
  await stop()
  const count = (type: string) => simulation.events.filter((event) => event.type === type).length
  const lags = simulation.events.flatMap((event) => (event.type === 'position' ? [event.closed - event.position] : []))
  return {
    zones,
    minutes,
    cycles: count('cycle'),
    windows: count('window'),
    rows: simulation.sink.rows(),
    failures: count('failed'),
    gaps: count('gap'),
    overLimit: simulation.emulator.journal.violations.filter(({ name }) => name === 'over-limit').length,
    maxBacklogMinutes: lags.slice(-zones).reduce((a, b) => Math.max(a, b), 0) / minute,
    cpuMsATurn: (user + system) / 1000 / count('cycle'),
    megabytes: Math.round(process.memoryUsage.rss() / 1e6),
  }
}

console.log(await exportZones())
