/**
 * Measures the cost of a cycle with one, ten, a thousand and ten thousand zones: whole cycles of the engine with its reader, ledger,
 * metrics and health, in virtual time, against a stand-in that answers at once. `node tests/campaigns/zones.ts` exits with 1 if a
 * cycle with ten thousand zones costs more than 1.2 times one with a thousand. `... zones.ts N` measures N zones.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClock, createVirtualTime } from '@cdn/kit/testing/virtual-time'
import { runEngine } from '../../src/engine/engine.ts'
import { type EngineEvent, observeAll } from '../../src/engine/events.ts'
import { deadlineOf } from '../../src/engine/plan.ts'
import { createZoneSchedule } from '../../src/engine/schedule.ts'
import { createDigest } from '../../src/formats/format.ts'
import { createHealth } from '../../src/health/health.ts'
import { createMetrics } from '../../src/health/metrics.ts'
import { withinTime } from '../../src/ledger/ledger.ts'
import { openLedger } from '../../src/ledger/open-ledger.ts'
import { openRejects } from '../../src/ledger/rejects.ts'
import { nodeFlags } from '../../src/process-flags.ts'
import { createApiReader } from '../../src/reader/api-reader.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { testEncode } from '../support/reader.ts'
import { createRow } from '../support/rows.ts'
import { hour, minute, usualPlan } from '../support/simulation.ts'

/** A disk in memory, so that commits do not wait for a disk. The campaign measures only processor time. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const plan = { ...usualPlan, margin: 71 * hour }

interface Measured {
  readonly zones: number
  readonly cycles: number
  readonly requests: number
  readonly cpuMs: number
  readonly rssMiB: number
}

/** One row per window: a page of the rows in `[from, to)`. */
function pageOf(url: URL, zone: number): object {
  const query = Object.fromEntries(url.searchParams)
  const [from, to, offset, limit] = [
    Date.parse(query['from'] ?? ''),
    Date.parse(query['to'] ?? ''),
    Number(query['offset'] ?? 0),
    Number(query['limit']),
  ]
  const rows: object[] = []
  for (let at = Math.ceil((from - 1000) / plan.window) * plan.window + 1000; at < to; at += plan.window) {
    const { authorizationHeader: _, originShield: __, bodyBytesSent: ___, contentRange: ____, ...row } = createRow(at)
    rows.push({ ...row, pullZoneId: zone, timestamp: new Date(at).toISOString(), url: 'https://cdn.example/' })
  }
  const data = rows.slice(offset, offset + limit)
  const hasMore = offset + data.length < rows.length
  return {
    data,
    pagination: { offset, limit, returned: data.length, hasMore },
    query: { pullZoneId: zone, from: query['from'], to: query['to'], order: query['order'] ?? 'desc' },
  }
}

/** Takes segments and forgets them, so that the figures are those of the engine. */
const sink: Sink = {
  name: 'nowhere',
  async check() {},
  async begin(id) {
    const digest = createDigest()
    let bytes = 0
    return {
      async write(lines) {
        digest.update(lines.bytes, lines.rows)
        bytes += lines.bytes.length
      },
      async publish() {
        return { outcome: 'published', segment: { ...id, ...digest.content(), bytes } }
      },
      async discard() {},
    }
  },
  async *list() {},
  async *segments() {},
  async *read() {},
  async *zones() {},
  async close() {},
}

/** Measures three cycles per zone, after the first windows are read. */
async function measure(count: number): Promise<Measured> {
  const zones = Array.from({ length: count }, (_, n) => String(10_001 + n))
  const folder = mkdtempSync(join(place, 'exporter-zones-'))
  const time = createVirtualTime(createClock(Date.parse('2026-06-17T14:30:00Z')))
  let [requests, cycles] = [0, 0]
  const fetch: typeof globalThis.fetch = async (input) => {
    requests++
    const url = new URL(input instanceof Request ? input.url : String(input))
    const page = pageOf(url, Number(url.pathname.split('/')[3]))
    return Response.json(page, { headers: { date: new Date(time.now()).toUTCString() } })
  }
  const observers: ((event: EngineEvent) => void)[] = []
  const client = { baseUrl: 'http://platform.example', accessKey: 'key', fetch }
  const reader = createApiReader({ clients: client, now: time.now, sleep: time.sleep })
  const ledger = withinTime(openLedger(folder), reader)
  const positions = () =>
    Promise.all(
      zones.map(async (zone) => {
        const position = await ledger.position(zone)
        return { zone, position, deadline: position && deadlineOf(position, plan), unread: [] }
      }),
    )
  const sources = { now: time.now, positions, clockOffset: () => 0 }
  const health = createHealth({ ...sources, zones: () => zones, dangerMs: minute, elapsed: time.now })
  const others = { stdoutLag: () => ledger.stdoutLag(), paused: () => 0, isHealthy: async () => true }
  const metrics = createMetrics({ ...sources, ...others })
  observers.push(metrics.observe, health.observe, ({ type }) => {
    if (type === 'cycle') cycles++
    if (type === 'failed' || type === 'gap') throw new Error(`Unexpected event: ${type}`)
  })
  const stop = new AbortController()
  const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, signal).catch(() => {})
  const ended = runEngine({
    ...{ reader, ledger, sink, plan, encode: testEncode(), rejects: openRejects(folder) },
    schedule: createZoneSchedule(zones, { elapsed: time.now, sleep }),
    observe: observeAll(observers),
    signal: stop.signal,
  })
  await time.run(time.now() + 20 * minute)
  const problems = await health.problems()
  if (problems.length > 0) throw new Error(`Unhealthy: ${JSON.stringify(problems)}`)
  const before = { cpu: process.cpuUsage(), cycles, requests }
  await time.run(time.now() + 3 * plan.window)
  const { user, system } = process.cpuUsage(before.cpu)
  // A scrape reads the position of every zone, so it counts towards the peak memory.
  await metrics.registry.metrics()
  stop.abort()
  await ended
  await ledger.close()
  rmSync(folder, { recursive: true })
  return {
    zones: count,
    cycles: cycles - before.cycles,
    requests: requests - before.requests,
    cpuMs: (user + system) / 1000,
    rssMiB: process.resourceUsage().maxRSS / 1024,
  }
}

const [own] = process.argv.slice(2)
if (own) console.log(JSON.stringify(await measure(Number(own))))
else {
  const results = [1, 10, 1000, 10_000].map((count): Measured => {
    const child = spawnSync(process.execPath, [...nodeFlags, fileURLToPath(import.meta.url), String(count)], {
      encoding: 'utf8',
    })
    if (child.status !== 0) throw new Error(child.stderr)
    return JSON.parse(child.stdout)
  })
  const perCycle = (count: number) => {
    const { cpuMs = 0, cycles = 0 } = results.find(({ zones }) => zones === count) ?? {}
    return cpuMs / cycles
  }
  const texts = results.map(({ zones, cycles, requests, rssMiB }) => {
    const figures = [`${perCycle(zones).toFixed(2)} ms`, `${Math.round(rssMiB)} MiB`]
    return `${zones} zones: ${figures.join(', ')}, ${(requests / cycles).toFixed(1)} requests per cycle`
  })
  const growth = perCycle(10_000) / perCycle(1000)
  console.log(
    `processor time per cycle, peak memory: ${texts.join('; ')}; ${growth.toFixed(2)} times from 1000 to 10000`,
  )
  process.exitCode = growth <= 1.2 ? 0 : 1
}
