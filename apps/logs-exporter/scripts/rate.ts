/**
 * Point 5 of the exporter's proofs: a day of 1,000 zones on virtual time with a memory sink: how many 429s were earned, beside the use
 * of the permitted rate. `node scripts/rate.ts [--zones N] [--hours N] [--platform thin|emulator]`
 *
 * `thin` (the default; a day of 1,000 zones through JSON takes too long) counts rows instead of making them and judges by a sliding
 * window; the limiter is the client's. A hundredth of the zones need most of their rate.
 */
import { parseArgs } from 'node:util'
import { rateLimit } from '@cdn/api'
import { createMemorySink } from '../tests/support/memory-sink.ts'
import { createSimulation, hour } from '../tests/support/simulation.ts'
import { countOnly, createThinPlatform } from '../tests/support/thin-platform.ts'

const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '1000' },
    hours: { type: 'string', default: '24' },
    platform: { type: 'string', default: 'thin' },
  },
})
const isThin = values.platform === 'thin'
const begun = performance.now()
let requests = 0
/** From 40 to 600 ms, never the same twice in a row. */
const latency = () => ((++requests * 7919) % 560) + 40
const simulation = await createSimulation({
  traffic: { zones: Number(values.zones), rowsPerSecond: 0.005, lateShare: 0.05, maxLatenessMs: 3 * hour },
  plan: { margin: 70 * hour },
  isLimited: true,
  latency: () => latency() / 2,
})
const { emulator, events, zones, time, plan } = simulation
const sink = createMemorySink({ keep: !isThin })
const thin = createThinPlatform({
  time,
  // In pages of 100: most zones ask for one now and then, some for as many as they may.
  zones: zones.map((zone, index) => ({ zone, rowsPerSecond: index % 100 === 0 ? 200 : 0.5 })),
  page: 100,
  retention: plan.retention,
  latency,
  isUp: () => true,
})
const parts = isThin ? { reader: thin.reader, encode: { v2: countOnly, v1: countOnly } } : {}
const end = simulation.start({ sink, parallel: 64, ...parts })
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
const permitted = (Number(values.hours) * hour * rateLimit.requests) / rateLimit.windowMs
const most = Math.max(...zones.map((zone) => thin.requests(zone)))
console.log(
  `${zones.length} zones, ${values.hours} h, ${values.platform}: ${requests} requests, ${refused + thin.refusals()} earned a 429`,
)
const share = (asked: number, of: number) => `${((asked / permitted / of) * 100).toFixed(2)} % of the permitted rate`
const busiest = isThin ? `, ${share(most, 1)} in the busiest zone` : ''
console.log(`${share(requests, zones.length)} over all${busiest}; ${sink.rows()} rows exported`)
console.log(`${JSON.stringify(counts)}; ${Math.round((performance.now() - begun) / 1000)} s`)
process.exitCode = refused + thin.refusals() === 0 ? 0 : 1
