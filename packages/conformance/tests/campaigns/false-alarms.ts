/**
 * Counts false alarms: how often the suite reports a conformant server as wrong. Runs all checks on every value of every
 * permitted variant, and on one mixture of variants per seed.
 *
 *     node packages/conformance/tests/campaigns/false-alarms.ts [--seeds N] [--only TEXT of ids of checks]    20 seeds by default
 *
 * Exit 1 on an alarm, 2 for an invalid option.
 */
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { type Alarm, conformantServers, findFalseAlarms, mixedServer } from '../mutants/false-alarms.ts'

const values = scriptOptions({ seeds: { type: 'string', default: '20' }, only: { type: 'string', default: '' } })
if (!/^[1-9]\d*$/.test(values.seeds)) {
  console.error(`--seeds must be an integer from 1, not ${JSON.stringify(values.seeds)}.`)
  process.exit(2)
}
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1)
const total = { results: 0, alarms: 0, permitted: 0, skipped: 0 }

for (const server of conformantServers()) await report(server.name, [server], seeds)
for (const seed of seeds) await report(`mixture ${seed}`, [mixedServer(seed)], [seed])

console.log(
  `${total.alarms} false alarms in ${total.results} results; ${total.permitted} failures of the supplement alone, ` +
    `${total.skipped} checks were skipped`,
)
process.exitCode = total.alarms > 0 ? 1 : 0

async function report(name: string, servers: Parameters<typeof findFalseAlarms>[0], of: readonly number[]) {
  const { results, alarms, permitted, skipped } = await findFalseAlarms(
    servers,
    of,
    ({ id }) => !id.includes(values.only),
  )
  total.results += results
  total.alarms += alarms.length
  total.permitted += permitted.length
  total.skipped += skipped
  console.log(`${name}: ${alarms.length} false alarms, ${permitted.length} of the supplement, ${skipped} skipped`)
  for (const line of distinct(alarms)) console.log(`  ALARM ${line}`)
  for (const line of distinct(permitted)) console.log(`  ${line}`)
}

function distinct(alarms: readonly Alarm[]): Iterable<string> {
  return new Set(alarms.map(({ check, message }) => `${check}: ${message.slice(0, 160)}`))
}
