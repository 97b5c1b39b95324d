/**
 * The whole campaign of docs/scaling.md: `node tests/src/exporter/fleet/run-campaign.ts [s3|postgres]`. Takes about ten minutes
 * and prints what it has shown; exit code 1 where anything was lost, doubled or over the limit.
 */
import { leaseTimes } from '@cdn/logs-exporter/src/fleet/postgres/open-fleet.ts'
import { runCampaign } from './campaign.ts'

const minute = 60_000
const sink = process.argv[2] === 'postgres' ? 'postgres' : 's3'
const { violations, ...figures } = await runCampaign({
  sink,
  workers: 4,
  zones: 200,
  hotZones: 2,
  forMs: 5 * minute,
  killEveryMs: minute / 3,
  stopMs: 1.5 * leaseTimes.leaseMs,
  pastMs: 5 * minute,
  windowMs: minute / 3,
  looksMs: [minute / 2, 3 * minute],
  maxLatenessMs: 2.5 * minute,
  times: leaseTimes,
})
console.log(JSON.stringify({ sink, ...figures, violations: violations.length }, null, 2))
for (const violation of violations.slice(0, 20)) console.error(violation)
process.exitCode = violations.length > 0 || figures.overLimit > 0 ? 1 : 0
