/**
 * Measures the cost of a cycle with one, ten, a thousand and ten thousand zones: whole cycles of the engine with its reader, ledger,
 * metrics and health, in virtual time, against a stand-in that answers at once. `node tests/campaigns/zones.ts` exits with 1 if a
 * cycle with ten thousand zones costs more than 1.2 times one with a thousand. `... zones.ts N` measures N zones.
 */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { observeAll, observeWith } from '../../src/engine/events.ts'
import { createDigest } from '../../src/formats/format.ts'
import { createHealth } from '../../src/health/health.ts'
import { createMetrics } from '../../src/health/metrics.ts'
import { nodeFlags } from '../../src/process-flags.ts'
import { createApiReader } from '../../src/reader/api-reader.ts'
import type { Sink } from '../../src/sinks/sink.ts'
import { createRow } from '../support/rows.ts'
import { createSimulation, hour, minute, usualPlan } from '../support/simulation.ts'

const plan = { margin: 71 * hour }
const { window } = usualPlan

/** The platform's response: a page of the rows in `[from, to)`, of which there is one per window. */
function respond(url: URL): object {
  const zone = Number(url.pathname.split('/')[3])
  const query = Object.fromEntries(url.searchParams)
  const [from, to, offset, limit] = [
    Date.parse(query['from'] ?? ''),
    Date.parse(query['to'] ?? ''),
    Number(query['offset'] ?? 0),
    Number(query['limit']),
  ]
  const rows: object[] = []
  for (let at = Math.ceil((from - 1000) / window) * window + 1000; at < to; at += window) {
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

/** Measures three cycles per zone, after the first windows are read. */
async function measure(count: number) {
  const simulation = await createSimulation({ traffic: { zones: count, rowsPerSecond: 0.001 }, plan })
  const { time, zones, ledger } = simulation
  let [requests, cycles] = [0, 0]
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests++
    const headers = { date: new Date(time.now()).toUTCString() }
    return Response.json(respond(new URL(new Request(input, init).url)), { headers })
  }
  const clients = { baseUrl: 'http://platform.example', accessKey: 'key', fetch }
  const reader = createApiReader({ clients, now: time.now, sleep: time.sleep })
  /** Forgets its segments, so that the figures are those of the engine. */
  const sink: Sink = {
    ...simulation.sink,
    async begin(id) {
      const digest = createDigest()
      return {
        write: async ({ bytes, rows }) => digest.update(bytes, rows),
        publish: async () => ({ outcome: 'published', segment: { ...id, ...digest.content(), bytes: 0 } }),
        async discard() {},
      }
    },
  }
  const positionOf = async (zone: string) => {
    return { zone, position: await ledger.position(zone), deadline: undefined, unread: [] }
  }
  const sources = { now: time.now, positions: () => Promise.all(zones.map(positionOf)), clockOffset: () => 0 }
  const health = createHealth({ ...sources, zones: () => zones, margin: 0, elapsed: time.now })
  const others = { stdoutLag: () => ledger.stdoutLag(), paused: () => 0, isHealthy: async () => true }
  const metrics = createMetrics({ ...sources, ...others })
  const fail = (event: object) => {
    throw new Error(`Unexpected event: ${JSON.stringify(event)}`)
  }
  const watch = observeWith({ cycle: () => cycles++, failed: fail, gap: fail })
  const end = simulation.start({ reader, sink, observe: observeAll([metrics.observe, health.observe, watch]) })
  await simulation.pass(20 * minute)
  const problems = await health.problems()
  if (problems.length > 0) throw new Error(`Unhealthy: ${JSON.stringify(problems)}`)
  const before = { cycles, requests, cpu: process.cpuUsage() }
  await simulation.pass(3 * window)
  const { user, system } = process.cpuUsage(before.cpu)
  // A scrape reads the position of every zone, so it counts towards the peak memory.
  await metrics.registry.metrics()
  await end()
  const done = cycles - before.cycles
  return {
    ...{ zones: count, cpuMs: (user + system) / 1000 / done, requests: (requests - before.requests) / done },
    rssMiB: process.resourceUsage().maxRSS / 1024,
  }
}

const [own] = process.argv.slice(2)
if (own) console.log(JSON.stringify(await measure(Number(own))))
else {
  const results = [1, 10, 1000, 10_000].map((count): Awaited<ReturnType<typeof measure>> => {
    const args = [...nodeFlags, fileURLToPath(import.meta.url), String(count)]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  })
  const texts = results.map(
    ({ zones, cpuMs, rssMiB, requests }) =>
      `${zones} zones: ${cpuMs.toFixed(2)} ms, ${Math.round(rssMiB)} MiB, ${requests.toFixed(1)} requests per cycle`,
  )
  const [thousand = 0, tenThousand = 0] = results.slice(2).map(({ cpuMs }) => cpuMs)
  const growth = tenThousand / thousand
  console.log(
    `processor time per cycle, peak memory: ${texts.join('; ')}; ${growth.toFixed(2)} times from 1000 to 10000`,
  )
  process.exitCode = growth <= 1.2 ? 0 : 1
}
