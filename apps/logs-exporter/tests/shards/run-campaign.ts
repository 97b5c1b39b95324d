/**
 * The whole campaign of shards: `node apps/logs-exporter/tests/shards/run-campaign.ts [zones] [seconds]`. By default it
 * takes more than 15 minutes on two cores. Prints its findings. Exits 1 if rows are lost, duplicated, or wrongly reported as lost.
 */
import { runCampaign } from './campaign.ts'

const second = 1000
const [zones = 200, seconds = 300] = process.argv.slice(2).map(Number)
const { violations, ...figures } = await runCampaign({
  shards: 4,
  zones,
  hotZones: 2,
  hotRowsPerSecond: 400,
  forMs: seconds * second,
  killEveryMs: 5 * second,
  isDiskLostWithKill: false,
  stopMs: 12 * second,
  windowMs: 10 * second,
  rechecksMs: [15 * second, 60 * second],
  maxLatenessMs: 50 * second,
  pastMs: 300 * second,
  maxCatchUpMs: 1200 * second,
})
console.log(JSON.stringify({ zones, ...figures, violations: violations.length }))
for (const violation of violations.slice(0, 20)) console.error(violation)
process.exitCode = violations.length > 0 || figures.gaps > 0 ? 1 : 0
