/** Shards in virtual time. Each has its own ledger, and all write to one sink. No row is lost, duplicated, or reported as lost. */

import { DatabaseSync } from 'node:sqlite'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { shardOf } from '../src/config/shard.ts'
import type { EngineEvent } from '../src/engine/events.ts'
import { createZoneSchedule } from '../src/engine/schedule.ts'
import { createLedger } from '../src/ledger/ledger.ts'
import { violations } from './support/oracle.ts'
import { createSimulation, hour, minute, type SimulationOptions } from './support/simulation.ts'

async function createShards(options: SimulationOptions) {
  const simulation = await createSimulation(options)
  const { time, zones, plan } = simulation
  const disks = new Map<string, DatabaseSync>()
  const running = new Map<string, () => Promise<void>>()
  const events: EngineEvent[] = []
  const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, signal).catch(() => {})
  return {
    ...simulation,
    disks,
    events,
    /** Starts a shard, like the command line with `--shard index/of`. */
    async start(index: number, of: number, { name = String(index), window = plan.window } = {}) {
      const zonesOfShard = zones.filter((zone) => shardOf(zone, of) === index)
      const disk = disks.get(name) ?? new DatabaseSync(':memory:')
      disks.set(name, disk)
      const ledger = { ...createLedger(disk), close: async () => {} }
      await ledger.keepOnly(zonesOfShard)
      const schedule = createZoneSchedule(zonesOfShard, { elapsed: time.now, sleep })
      const observe = (event: EngineEvent) => void events.push(event)
      running.set(name, simulation.start({ ledger, schedule, observe, plan: { ...plan, window } }))
    },
    async end(name: string | number) {
      await running.get(String(name))?.()
      running.delete(String(name))
    },
    endAll: () => Promise.all([...running.values()].map((end) => end())),
  }
}

test('crashes, a lost disk, a duplicate shard, and changed shard counts with returning disks neither lose nor duplicate a row', {
  timeout: 300_000,
}, async () => {
  const plan = { window: hour, rechecks: [10 * minute, 4 * hour] }
  const traffic = { zones: 6, rowsPerSecond: 0.002, lateShare: 0.2, maxLatenessMs: 3 * hour }
  const shards = await createShards({ traffic, plan, latency: 100 })
  const { time, zones, emulator, sink, events, pass } = shards
  const from = Math.ceil((time.now() - 70 * hour + minute) / plan.window) * plan.window
  // The emulator drops rows a day after they leave the retention, so the expected rows are saved before that.
  const saved = new Map(zones.map((zone) => [zone, [...emulator.state.logs.rows(zone, from, from)]]))
  let keptTo = from
  const keep = () => {
    const until = time.now() - minute
    for (const [zone, rows] of saved) {
      for (const row of emulator.state.logs.rows(zone, keptTo - 1, until))
        if (row.timestamp >= keptTo && row.timestamp < until) rows.push(row)
    }
    keptTo = until
  }
  for (const index of [0, 1, 2, 3]) await shards.start(index, 4)
  await pass(3 * hour)
  await shards.end(1)
  await pass(30 * minute)
  await shards.start(1, 4)
  await shards.end(2)
  shards.disks.delete('2')
  await shards.start(2, 4)
  await shards.start(3, 4, { name: 'twin' })
  await pass(2 * hour)
  await shards.end('twin')
  keep()
  await shards.start(4, 5)
  for (const index of [3, 2, 1, 0]) {
    await shards.end(index)
    await shards.start(index, 5)
    await pass(10 * minute)
  }
  for (let n = 0; n < 8; n++) {
    await pass(10 * hour)
    keep()
  }
  for (const index of [3, 2, 1, 0]) {
    await shards.end(index)
    await shards.start(index, 4)
    await pass(10 * minute)
  }
  await shards.end(4)
  await pass(6 * hour)
  keep()
  await shards.endAll()
  const to = Math.floor((time.now() - 71 * hour) / plan.window) * plan.window
  for (const zone of zones)
    expect(violations(sink.exported(zone), { stored: assertDefined(saved.get(zone)), from, to })).toEqual([])
  expect(events.filter(({ type }) => type === 'gap')).toEqual([])
  expect((to - from) / hour).toBeGreaterThan(10)
})

test('of two exporters with different windows for one zone, one is refused with a sentence, and no row is duplicated', async () => {
  const plan = { window: 15 * minute, margin: 69 * hour, rechecks: [10 * minute, hour] }
  const shards = await createShards({ traffic: { zones: 1, rowsPerSecond: 0.05 }, plan })
  const { time, zones, events } = shards
  const from = Math.ceil((time.now() - 3 * hour) / hour) * hour
  await shards.start(0, 1)
  await shards.start(0, 1, { name: 'other', window: 30 * minute })
  await shards.pass(6 * hour)
  await shards.endAll()
  expect(await shards.violations(zones[0], from, from + 7 * hour)).toEqual([])
  const refusals = events.flatMap((event) => (event.type === 'failed' ? [event.error.message] : []))
  expect(refusals[0]).toMatch(
    /overlaps the window from .*another exporter with a different window length works on the zone/,
  )
})
