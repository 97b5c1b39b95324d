/**
 * Kills an exporter (SIGKILL) at random and at named points, and injects faults on a schedule. Restarts
 * the exporter until it is done, and compares the sink with the store.
 *
 * `node tests/campaigns/crash.ts [--runs N] [--sink NAME] [--seed N] [--parallel N]` exits with 1 if a row is lost or duplicated.
 */

import { availableParallelism } from 'node:os'
import { scriptOptions } from '@cdn/kit/testing/script-options'
import { type CrashRun, crash } from '../crash/campaign.ts'
import { sinks } from '../crash/sinks.ts'

const values = scriptOptions({
  runs: { type: 'string', default: '500' },
  sink: { type: 'string', default: 'files' },
  seed: { type: 'string', default: '1' },
  parallel: { type: 'string', default: String(availableParallelism() + 1) },
})
const first = Number(values.seed)
const last = first + Number(values.runs)
const sink = await sinks[values.sink]?.()
if (!sink) throw new Error(`Invalid --sink ${values.sink}: expected one of ${Object.keys(sinks).join(', ')}`)
// `exit` also ends the workers. If a signal ended this process, they would keep running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const done: CrashRun[] = []
const begun = performance.now()
let next = first

const work = async () => {
  while (next < last) {
    const run = await crash(next++, sink)
    done.push(run)
    if (run.violations.length > 0)
      console.log(`seed ${run.seed}, killed: ${run.kills.join(', ')}\n  ${run.violations.join('\n  ')}`)
    if (process.stdout.isTTY || done.length % 50 === 0) console.log(`${done.length} runs`)
  }
}
await Promise.all(Array.from({ length: Number(values.parallel) }, work))

const sum = (count: (run: CrashRun) => number) => done.reduce((total, run) => total + count(run), 0)
const points = Object.entries(
  Object.groupBy(
    done.flatMap(({ kills }) => kills),
    (kill) => kill.replace(/ \d+$/, ''),
  ),
)
const failed = done.filter(({ violations }) => violations.length > 0)
const kills = sum((run) => run.kills.length)
const byPoint = points.map(([point, all]) => `${point} ${all?.length}`).join(', ')
const seconds = Math.round((performance.now() - begun) / 1000)
console.log(`sink ${values.sink}: killed at ${byPoint}; ${seconds} s`)
const figures = `${done.length} runs, ${kills} kills, ${sum((run) => run.ledgersLost)} ledgers lost, ${sum((run) => run.rows)} rows`
console.log(`${figures}, ${sum((run) => run.revisions)} revisions: ${failed.length} runs with a row lost or duplicated`)
await sink.stop?.()
process.exitCode = failed.length === 0 ? 0 : 1
