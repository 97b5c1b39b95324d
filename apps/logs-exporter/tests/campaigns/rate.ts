/**
 * Proof 5 of the exporter: a day of 1,000 zones in virtual time with a memory sink. Reports the number of 429 responses and the
 * use of the permitted rate. `node tests/campaigns/rate.ts [--zones N] [--hours N] [--platform thin|emulator]`
 *
 * `thin` is the default, because a day of 1,000 zones through JSON takes too long. It counts rows without creating them, and
 * applies a sliding window; the limiter is the client's. One percent of the zones need most of their rate.
 */
import { parseArgs } from 'node:util'
import { rateLimit } from '@cdn/api'
import { createMemorySink } from '../support/memory-sink.ts'
import { createSimulation, hour } from '../support/simulation.ts'
import { countOnly, createThinPlatform } from '../support/thin-platform.ts'

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
/** Latency from 40 to 600 ms, different for successive requests. */
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
  // Pages have 100 rows. So most zones request a page now and then, and some request as many as permitted.
  zones: zones.map((zone, index) => ({ zone, rowsPerSecond: index % 100 === 0 ? 200 : 0.5 })),
  page: 100,
  retention: plan.retention,
  latency,
  isUp: () => true,
})
const parts = isThin ? { reader: thin.reader, encode: countOnly } : {}
const end = simulation.start({ sink, parallel: 64, ...parts })
let refused = 0
const counts: Record<string, number> = {}
for (let passed = 0; passed < Number(values.hours); passed++) {
  await simulation.pass(hour)
  refused += emulator.journal.violations.filter(({ name }) => name === 'over-limit').length
  emulator.journal.clear()
  for (const { type } of events.splice(0)) counts[type] = (counts[type] ?? 0) + 1
  if (process.stdout.isTTY) console.log(`${passed + 1} h`)
}
await end()
const permitted = (Number(values.hours) * hour * rateLimit.requests) / rateLimit.windowMs
const maxRequests = Math.max(...zones.map((zone) => thin.requests(zone)))
console.log(
  `${zones.length} zones, ${values.hours} h, ${values.platform}: ${requests} requests, ${refused + thin.refusals()} answered with 429`,
)
const share = (count: number, of: number) => `${((count / permitted / of) * 100).toFixed(2)} % of the permitted rate`
const busiest = isThin ? `, ${share(maxRequests, 1)} in the busiest zone` : ''
console.log(`${share(requests, zones.length)} over all${busiest}; ${sink.rows()} rows exported`)
console.log(`${JSON.stringify(counts)}; ${Math.round((performance.now() - begun) / 1000)} s`)
process.exitCode = refused + thin.refusals() === 0 ? 0 : 1
