import { DatabaseSync } from 'node:sqlite'
import { FencedError } from '@cdn/logs-exporter/src/fleet/fenced-error.ts'
import { type Fleet, openFleet } from '@cdn/logs-exporter/src/fleet/postgres/open-fleet.ts'
import type { Ledger } from '@cdn/logs-exporter/src/ledger/ledger.ts'
import { createSqliteLedger } from '@cdn/logs-exporter/src/ledger/sqlite-ledger.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../postgres.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const zones = ['1', '2']
const clock = () => performance.timeOrigin + performance.now()
const never = new AbortController().signal

async function fleetOf(name: string): Promise<Fleet & { close(): Promise<void> }> {
  const url = await postgres.database(name)
  const fleet = await openFleet(url, zones, { now: () => Date.now() })
  const close = async () => {
    await fleet.coordinator.close()
    await fleet.ledger.close()
  }
  return { ...fleet, close }
}

/** The clocks of database and process are one, but not read to the same digit. */
const within = (least: number, most: number) => (value: unknown) =>
  Number(value) >= least - 5 && Number(value) <= most + 5

/** A step is done to both ledgers; what they say afterwards must be the same. */
type Step = (ledger: Ledger, epoch: number) => Promise<unknown>

const time = fc.nat({ max: 12 }).map((n) => n * 300_000)
const zone = fc.constantFrom(...zones)
const range = fc.tuple(time, fc.integer({ min: 1, max: 3 })).map(([from, n]) => ({ from, to: from + n * 300_000 }))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({
      zone,
      range,
      rows: fc.option(fc.nat(), { nil: undefined }),
      lookDue: fc.option(time, { nil: undefined }),
      nextRevision: fc.nat({ max: 3 }),
      source: fc.constantFrom('v1' as const, 'v2' as const),
    })
    .map(
      ({ range, ...rest }): Step =>
        (ledger, epoch) =>
          ledger.record({ ...range, ...rest, lookedAt: range.to + 1 }, undefined, epoch),
    ),
  fc.record({ zone, range, reason: fc.string({ unit: 'grapheme-ascii' }) }).map(
    ({ range, ...rest }): Step =>
      (ledger, epoch) =>
        ledger.recordGap({ ...range, ...rest, noticedAt: 5 }, epoch),
  ),
  fc.tuple(zone, time).map(
    ([zone, from]): Step =>
      (ledger, epoch) =>
        ledger.begin(zone, from, epoch),
  ),
  fc.tuple(zone, time).map(
    ([zone, before]): Step =>
      (ledger, epoch) =>
        ledger.forget(zone, before, epoch),
  ),
)

async function everything(ledger: Ledger) {
  const all = zones.map(async (zone) => ({
    position: await ledger.position(zone),
    windows: await ledger.windows(zone, 0, Number.POSITIVE_INFINITY),
    some: await ledger.windows(zone, 600_000, 1_200_000),
    due: await ledger.due(zone, 1_500_000, 2),
    nextLook: await ledger.nextLook(zone),
    gaps: await ledger.gaps(zone),
  }))
  return Promise.all(all)
}

test('says what the ledger of one process says after the same steps', async () => {
  const fleet = await fleetOf('same')
  const { coordinator, ledger } = fleet
  const epochs = new Map<string, number>()
  for (let n = 0; n < zones.length; n++) {
    const lease = await coordinator.claim(never)
    if (lease) epochs.set(lease.zone, lease.epoch)
  }
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await postgres.query(
        `${postgres.url.replace(/postgres$/, 'same')}`,
        'truncate cdn_logs_exporter.windows, cdn_logs_exporter.gaps; update cdn_logs_exporter.zones set position = null',
      )
      const local = createSqliteLedger(new DatabaseSync(':memory:'))
      for (const step of steps) {
        await step(local, 0)
        await step(ledger, 1)
      }
      expect(await everything(ledger)).toEqual(await everything(local))
      await local.close()
      run++
    }),
    { numRuns: 60 },
  )
  expect(run).toBeGreaterThan(50)
  await fleet.close()
})

test('a write whose epoch is over is refused, and changes nothing', async () => {
  const url = await postgres.database('fenced')
  const options = {
    now: () => Date.now(),
    times: { leaseMs: 300, renewMs: 100_000, marginMs: 100, quietMs: 1_000, affinityMs: 0, pollMs: 20 },
  }
  const stopped = await openFleet(url, ['1'], options)
  const woken = await openFleet(url, ['1'], options)
  const old = await stopped.coordinator.claim(never)
  const own = await woken.coordinator.claim(never) // waits until the lease of the first is over, which nobody renews
  if (!old || !own) throw new Error('no lease')
  expect(own.epoch).toBe(old.epoch + 1)
  const { ledger } = stopped
  await woken.ledger.begin('1', 0, own.epoch)
  const state = {
    zone: '1',
    from: 0,
    to: 300_000,
    rows: 7,
    nextRevision: 1,
    source: 'v2' as const,
    lookedAt: 1,
    lookDue: undefined,
  }
  const gap = { zone: '1', from: 0, to: 300_000, reason: 'late', noticedAt: 1 }
  for (const write of [
    () => ledger.record(state, undefined, old.epoch),
    () => ledger.recordGap(gap, old.epoch),
    () => ledger.begin('1', 600_000, old.epoch),
    () => ledger.recordBusyUntil('1', 5, old.epoch),
  ]) {
    await expect(write()).rejects.toThrow(FencedError)
  }
  expect(await ledger.position('1')).toBe(0)
  expect(await ledger.windows('1', 0, 600_000)).toEqual([])
  expect(await ledger.gaps('1')).toEqual([])
  await ledger.record(state, undefined, own.epoch)
  expect(await ledger.position('1')).toBe(300_000)
  await expect(ledger.forget('1', 600_000, old.epoch)).rejects.toThrow(FencedError)
  expect(await ledger.windows('1', 0, 600_000)).toEqual([state])
  for (const { coordinator, ledger } of [stopped, woken]) {
    await coordinator.close()
    await ledger.close()
  }
})

test('the rate limit stays quiet for the next owner as long as the last one said, or could have asked', async () => {
  const url = await postgres.database('quiet')
  const times = { leaseMs: 60_000, renewMs: 20_000, marginMs: 100, quietMs: 70_000, affinityMs: 0, pollMs: 20 }
  const { coordinator, ledger } = await openFleet(url, ['1'], { now: () => Date.now(), times })
  const claim = async () => {
    const lease = await coordinator.claim(never)
    if (!lease) throw new Error('no lease')
    return lease
  }
  const first = await claim()
  expect(await ledger.busyUntil('1')).toBe(undefined) // nobody of us asked before
  const said = clock() + 5_000
  await ledger.recordBusyUntil('1', said, first.epoch)
  await coordinator.release(first, 0, 0)
  const second = await claim()
  expect(await ledger.busyUntil('1')).toSatisfy(within(said, clock() + 5_000))
  await ledger.recordBusyUntil('1', Number.POSITIVE_INFINITY, second.epoch) // it begins to ask
  expect(await ledger.busyUntil('1')).toBe(Number.POSITIVE_INFINITY)
  const before = clock()
  await postgres.query(url, `update cdn_logs_exporter.zones set lease_until = clock_timestamp() - interval '1 second'`)
  await claim() // of a zone whose owner died a second ago
  expect(await ledger.busyUntil('1')).toSatisfy(within(before + 69_000, clock() + 69_000))
  await coordinator.close()
  await ledger.close()
})
