/**
 * Kills one exporter (`bin.ts run`, SIGKILL) again and again in real time, against the emulator over a socket. A life is counted
 * from the log line `running`, because a busy machine takes seconds to start Node:
 * `node apps/logs-exporter/tests/crash/kill-often.ts [seconds between kills] [minutes] [zones]`. Prints its findings as JSON. Exits
 * with 1 if the exporter stood still between two kills, if a row is lost or doubled, or if there are more 429 responses than kills.
 * Several can run at the same time. Each has its own emulator, port and folder.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulator } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { violations } from '../support/oracle.ts'
import { readFiles, readName } from '../support/read-files.ts'
import { startExporter } from '../support/start-exporter.ts'

/** Settings of a campaign. Times are in ms. */
export interface KillOften {
  readonly zones: number
  readonly killEveryMs: number
  readonly forMs: number
  /** How much longer than `killEveryMs` a life may last if it has not published a segment yet. */
  readonly patienceMs: number
  readonly pastMs: number
}

/** Findings of a campaign. */
export interface KillOftenResult {
  readonly kills: number
  readonly rows: number
  readonly segments: number
  /** Number of new segments in each life. */
  readonly grown: readonly number[]
  readonly standstills: number
  readonly lost: number
  readonly doubled: number
  readonly violations: readonly string[]
  /** Number of responses with status 429. */
  readonly overLimit: number
  /** Time from `running` to the first new segment: median and maximum, in ms. */
  readonly firstSegmentMs: readonly [median: number, max: number]
}

const second = 1000
const [retentionMs, maxLatenessMs, recheckMs] = [72 * 3600 * second, 3 * second, 8 * second]
/** Shorter lives have no late rows and no rechecks. With windows of seconds, rechecks alone would need most of their requests. */
const minRecheckLifeMs = 8 * second
/** Only processes die here, not the machine, so a disk in memory is enough. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const lookEveryMs = 200

/** Runs a campaign. A last life without a kill exports the rest. */
export async function killOften({
  zones: count,
  killEveryMs,
  forMs,
  patienceMs,
  pastMs,
}: KillOften): Promise<KillOftenResult> {
  const withRechecks = killEveryMs >= minRecheckLifeMs
  const traffic = { zones: count, rowsPerSecond: 5, tieShare: 0.1, lateShare: withRechecks ? 0.02 : 0, maxLatenessMs }
  const emulator = await createEmulator({ clock: 'real', traffic })
  for (const zone of emulator.state.zones.values()) zone.addresses = 'whole'
  const zones = [...emulator.state.zones.keys()].filter((id) => id.length === 5)
  const { loggingUrl } = await emulator.listen()
  const folder = await mkdtemp(join(place, 'exporter-kill-often-'))
  const logs = join(folder, 'logs')
  const config = join(folder, 'config.yaml')
  const settings = {
    loggingUrl: loggingUrl.href,
    zones,
    window: withRechecks ? '2s' : '1s',
    lateness: '1s',
    rechecks: withRechecks ? [`${recheckMs}ms`] : [],
    margin: `${retentionMs - pastMs}ms`,
    ledger: join(folder, 'state'),
    sink: { type: 'files', path: logs },
    listen: '127.0.0.1:0',
  }
  await writeFile(config, JSON.stringify(settings))
  let child: ChildProcess | undefined
  const kill = () => child?.kill('SIGKILL')
  process.on('exit', kill)
  const start = (running: () => void) => {
    const env = {
      CDN_ACCESS_KEY: emulator.fixtures.credentials.accessKey,
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    }
    return startExporter(['run', '--config', config], env, (line) => line.includes('"running"') && running())
  }
  /** The names of the segments. Their content is read only once, at the end. */
  const segments = () =>
    existsSync(logs) ? readdirSync(logs, { recursive: true }).filter((name) => String(name).endsWith('.zst')) : []
  /** Lives until `isOver`. Returns how long it took until the first new segment, and how many are new. */
  async function live(isOver: (ms: number, grown: number) => boolean) {
    const before = segments().length
    const running = Promise.withResolvers<void>()
    child = start(running.resolve)
    const closed = once(child, 'close')
    await Promise.race([running.promise, closed])
    const begun = performance.now()
    let [grown, firstMs] = [0, Number.POSITIVE_INFINITY]
    for (let ms = 0; !isOver(ms, grown); ms = performance.now() - begun) {
      await sleep(lookEveryMs)
      grown = segments().length - before
      if (grown > 0) firstMs = Math.min(firstMs, performance.now() - begun)
    }
    kill()
    await closed
    return { grown: segments().length - before, firstMs }
  }

  const lives: Awaited<ReturnType<typeof live>>[] = []
  try {
    for (const end = performance.now() + forMs; performance.now() < end; )
      lives.push(await live((ms, grown) => ms >= killEveryMs && (grown > 0 || ms >= killEveryMs + patienceMs)))
    const to = Math.floor(emulator.clock.now().getTime() / (2 * second)) * 2 * second
    // Rows up to this time are visible. Some later segments show that all rechecks up to it are done.
    const isDone = () => {
      const shown = segments().map((name) => readName(String(name)))
      return zones.every((zone) => shown.some((each) => each.zone === zone && each.from >= to + recheckMs + 5 * second))
    }
    await live((ms) => isDone() || ms > 180 * second)
    const exported = readFiles(logs)
    const mismatches: string[] = []
    let [lost, doubled, rows] = [0, 0, 0]
    for (const zone of zones) {
      const own = exported.filter((segment) => segment.zone === zone)
      const from = Math.min(...own.map((segment) => segment.from))
      const stored = [...emulator.state.logs.rows(zone, from, to)]
      mismatches.push(...violations(own, { stored, from, to }).map((text) => `zone ${zone}: ${text}`))
      const expected = stored.filter(({ originShield }) => !originShield).map(({ requestId }) => requestId)
      const counts = new Map<string, number>()
      for (const segment of own)
        for (const line of segment.lines) {
          const { requestId } = JSON.parse(line)
          counts.set(requestId, (counts.get(requestId) ?? 0) + 1)
        }
      lost += expected.filter((id) => !counts.has(id ?? '')).length
      for (const times of counts.values()) if (times > 1) doubled += times - 1
      rows += expected.length
    }
    const firsts = lives.map(({ firstMs }) => Math.round(firstMs)).sort((a, b) => a - b)
    return {
      kills: lives.length,
      rows,
      segments: exported.length,
      grown: lives.map(({ grown }) => grown),
      standstills: lives.filter(({ grown }) => grown === 0).length,
      lost,
      doubled,
      violations: mismatches,
      overLimit: emulator.journal.violations.filter(({ name }) => name === 'over-limit').length,
      firstSegmentMs: [defined(firsts[firsts.length >> 1]), defined(firsts.at(-1))],
    }
  } finally {
    kill()
    process.off('exit', kill)
    await emulator.close()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [seconds = 8, minutes = 15, zones = 2] = process.argv.slice(2).map(Number)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const times = { killEveryMs: seconds * second, forMs: minutes * 60 * second, patienceMs: 0, pastMs: 60 * second }
  const result = await killOften({ zones, ...times })
  console.log(
    JSON.stringify({
      seconds,
      minutes,
      zones,
      ...result,
      grown: `at least ${Math.min(...result.grown)} segments a life`,
    }),
  )
  const { standstills, lost, doubled, violations, overLimit, kills } = result
  process.exitCode = standstills + lost + doubled + violations.length > 0 || overLimit > kills ? 1 : 0
}
