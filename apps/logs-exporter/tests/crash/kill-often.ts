/**
 * Kills one exporter (`bin.ts run`, SIGKILL) repeatedly in real time, against the emulator over a socket. The time until the next
 * kill begins at the log line `running`, because a busy machine takes seconds to start Node:
 * `node apps/logs-exporter/tests/crash/kill-often.ts [seconds between kills] [minutes] [zones]`. Exits with 1 if the
 * exporter published nothing between two kills, if a row is lost or doubled, or if there are more 429 responses than kills.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { assertDefined } from '@cdn/kit/assert-defined'
import { readName } from '../support/read-files.ts'
import { openPlatform } from '../support/real-time.ts'

const second = 1000
const [retentionMs, maxLatenessMs, recheckMs, pastMs] = [72 * 3600 * second, 3 * second, 8 * second, 60 * second]
/** Minimum time between kills for a campaign with late rows and rechecks. With less, rechecks would need most of the requests. */
const minRecheckLifeMs = 8 * second
const lookEveryMs = 200

/** Runs a campaign. The last process is not killed, and exports the rest. */
async function killOften(count: number, killEveryMs: number, forMs: number) {
  const withRechecks = killEveryMs >= minRecheckLifeMs
  const late = { lateShare: withRechecks ? 0.02 : 0, maxLatenessMs }
  const platform = await openPlatform({ zones: count, rowsPerSecond: 5, tieShare: 0.1, ...late })
  const { emulator, zones, segments } = platform
  const settings = {
    window: withRechecks ? '2s' : '1s',
    lateness: '1s',
    rechecks: withRechecks ? [`${recheckMs}ms`] : [],
    margin: `${retentionMs - pastMs}ms`,
  }
  /** Runs a process until `isOver`. Returns the time until the first new segment, and the number of new segments. */
  async function live(isOver: (ms: number) => boolean) {
    const before = segments().length
    const { process: child, ended, said } = await platform.start('often', ['run'], settings)
    await said('"running"')
    const begun = performance.now()
    let firstMs = Number.POSITIVE_INFINITY
    for (let ms = 0; !isOver(ms); ms = performance.now() - begun) {
      await sleep(lookEveryMs)
      if (segments().length > before) firstMs = Math.min(firstMs, performance.now() - begun)
    }
    child.kill('SIGKILL')
    await ended
    return { grown: segments().length - before, firstMs }
  }

  const lives: Awaited<ReturnType<typeof live>>[] = []
  try {
    for (const end = performance.now() + forMs; performance.now() < end; )
      lives.push(await live((ms) => ms >= killEveryMs))
    const to = Math.floor(emulator.clock.now().getTime() / (2 * second)) * 2 * second
    // Rows up to this time are visible. Some later segments show that all rechecks up to it are done.
    const isDone = () => {
      const shown = segments().map((name) => readName(String(name)))
      return zones.every((zone) => shown.some((each) => each.zone === zone && each.from >= to + recheckMs + 5 * second))
    }
    await live((ms) => isDone() || ms > 180 * second)
    const compared = zones.map((zone) => platform.compare(zone, to))
    const firsts = lives.map(({ firstMs }) => Math.round(firstMs)).sort((a, b) => a - b)
    return {
      kills: lives.length,
      rows: compared.reduce((sum, { rows }) => sum + rows, 0),
      segments: segments().length,
      /** Minimum number of new segments between two kills. */
      grown: Math.min(...lives.map(({ grown }) => grown)),
      violations: compared.flatMap(({ violations }) => violations),
      /** Number of responses with status 429. */
      overLimit: emulator.journal.violations.filter(({ name }) => name === 'over-limit').length,
      /** Time from `running` to the first new segment: median and maximum, in ms. */
      firstSegmentMs: [assertDefined(firsts[firsts.length >> 1]), assertDefined(firsts.at(-1))],
    }
  } finally {
    await platform.close()
  }
}

const [seconds = 8, minutes = 15, zones = 2] = process.argv.slice(2).map(Number)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const result = await killOften(zones, seconds * second, minutes * 60 * second)
const { kills, rows, segments, grown, violations, overLimit, firstSegmentMs } = result
const starts = `first segment after ${firstSegmentMs.join(' to ')} ms`
console.log(violations.join('\n'))
console.log(
  `${kills} kills, ${rows} rows, ${segments} segments: ${violations.length} mismatches; at least ${grown} segments per life, ${starts}, ${overLimit} responses with 429`,
)
process.exitCode = grown === 0 || violations.length > 0 || overLimit > kills ? 1 : 0
