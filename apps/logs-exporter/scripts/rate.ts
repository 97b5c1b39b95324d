/**
 * Point 5 of the exporter's proofs: a day of 1,000 zones against the emulator in process, on virtual time, with a memory sink: how many
 * 429s were earned, beside the use of the permitted rate. `node scripts/rate.ts [--zones N] [--hours N]`
 */
import { parseArgs } from 'node:util'
import { rateLimit } from '@cdn/api'
import { createMemorySink } from '../tests/support/memory-sink.ts'
import { createSimulation, hour } from '../tests/support/simulation.ts'

const { values } = parseArgs({
  options: { zones: { type: 'string', default: '1000' }, hours: { type: 'string', default: '24' } },
})
const begun = performance.now()
let requests = 0
const simulation = await createSimulation({
  traffic: { zones: Number(values.zones), rowsPerSecond: 0.005, lateShare: 0.05, maxLatenessMs: 3 * hour },
  plan: { margin: 71 * hour },
  isLimited: true,
  latency: () => ((requests++ * 7919) % 280) + 20,
})
const { emulator, events, zones } = simulation
const sink = createMemorySink()
const end = simulation.start({ sink, parallel: 16 })
let refused = 0
const counts: Record<string, number> = {}
for (let passed = 0; passed < Number(values.hours); passed++) {
  await simulation.pass(hour)
  refused += emulator.journal.verdicts.filter(({ name }) => name === 'over-limit').length
  emulator.journal.clear()
  for (const { type } of events.splice(0)) counts[type] = (counts[type] ?? 0) + 1
  if (process.stdout.isTTY) console.log(`${passed + 1} h`)
}
await end()
const permitted = (Number(values.hours) * hour * rateLimit.requests * zones.length) / rateLimit.windowMs
console.log(`${zones.length} zones, ${values.hours} h: ${requests} requests, ${refused} earned a 429`)
console.log(
  `${((requests / permitted) * 100).toFixed(3)} % of the permitted rate over all; ${sink.rows()} rows exported`,
)
console.log(`${JSON.stringify(counts)}; ${Math.round((performance.now() - begun) / 1000)} s`)
process.exitCode = refused === 0 ? 0 : 1
