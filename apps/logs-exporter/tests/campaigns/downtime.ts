/**
 * Proof 4 of the exporter: 48 hours without the exporter, then 48 hours without the platform, in virtual time. Some of the 200
 * zones need most of the permitted rate. `node tests/campaigns/downtime.ts [--zones N] [--scale N] [--latency MS]` divides all times by
 * `scale`; `latency` is the time of a response.
 *
 * Reports two shares. The first one decides the exit code (0 or 1): the exported rows compared with an oracle that reads at the
 * permitted rate without latency. The second one compares them with an oracle at the rate of the limiter, 10/(10 + latency) in
 * seconds, because a slot of the limiter is free 10 s after the response.
 */
import { parseArgs } from 'node:util'
import { rateLimit } from '@cdn/api'
import { runDowntime } from '../support/downtime.ts'
import { hour, minute, usualPlan } from '../support/simulation.ts'

const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '200' },
    scale: { type: 'string', default: '1' },
    latency: { type: 'string', default: '50' },
  },
})
const scale = Number(values.scale)
const page = 4
const permitted = (rateLimit.requests * page * 1000) / rateLimit.windowMs
/** How much of the permitted rate each zone needs, as a share. The first zones need more than is permitted. */
const shares = [1.5, 0.95, 0.8, 0.5]
const zones = Array.from({ length: Number(values.zones) }, (_, index) => ({
  zone: String(10_001 + index),
  rowsPerSecond: permitted * (shares[index] ?? 0.002),
}))
const begun = performance.now()
const { outcomes, requests, refusals, events } = await runDowntime({
  zones,
  downtime: (48 * hour) / scale,
  working: (24 * hour) / scale,
  page,
  latency: Number(values.latency),
  plan: {
    window: 5 * minute,
    lateness: 5 * minute,
    rechecks: usualPlan.rechecks.map((age) => age / scale),
    margin: (2 * hour) / scale,
    retention: (72 * hour) / scale,
  },
})
const sum = (name: 'stored' | 'exported' | 'lost' | 'oracle' | 'permitted') =>
  outcomes.reduce((total, outcome) => total + outcome[name], 0)
for (const { zone, stored, exported, lost, oracle, permitted } of outcomes.slice(0, shares.length + 1))
  console.log(
    `zone ${zone}: ${stored} rows, ${exported} exported, ${lost} reported as lost; ${inBoth(exported / oracle, exported / permitted)}`,
  )
const minShare = Math.min(...outcomes.map(({ exported, oracle }) => exported / oracle))
const minPermitted = Math.min(...outcomes.map(({ exported, permitted }) => exported / permitted))
const unaccounted = outcomes.filter((outcome) => outcome.unaccounted !== 0).length
console.log(
  `${outcomes.length} zones: ${sum('stored')} rows, ${sum('exported')} exported, ${sum('lost')} reported as lost`,
)
console.log(`zones with unaccounted rows: ${unaccounted}`)
console.log(`the minimum share of a zone: ${inBoth(minShare, minPermitted)}`)
console.log(`all zones: ${inBoth(sum('exported') / sum('oracle'), sum('exported') / sum('permitted'))}`)
console.log(
  `${requests} requests, ${refusals} answered 429; ${JSON.stringify(events)}; ${Math.round((performance.now() - begun) / 1000)} s`,
)
process.exitCode = unaccounted === 0 && minShare >= 0.99 && refusals === 0 ? 0 : 1

function inBoth(ofOracle: number, ofPermitted: number): string {
  return `${percent(ofOracle)} of an oracle without latency, ${percent(ofPermitted)} of the rate of the limiter`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
