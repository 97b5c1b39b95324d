import type { Lease } from '@cdn/logs-exporter/src/fleet/coordinator.ts'
import type { LeaseTimes } from '@cdn/logs-exporter/src/fleet/postgres/leases.ts'
import { type Fleet, openFleet } from '@cdn/logs-exporter/src/fleet/postgres/open-fleet.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../postgres.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const never = new AbortController().signal
const calm: LeaseTimes = {
  leaseMs: 60_000,
  renewMs: 20_000,
  marginMs: 1_000,
  quietMs: 1_000,
  affinityMs: 0,
  pollMs: 20,
}
let names = 0

/** Workers of one fleet; `now` is the clock of the platform, moved by hand. */
async function fleet(zones: readonly string[], times: LeaseTimes = calm) {
  const url = await postgres.database(`leases${names++}`)
  const joined: Fleet[] = []
  const clock = { time: 1_000 }
  const troubles: unknown[] = []
  const options = { now: () => clock.time, times, onTrouble: (error: unknown) => troubles.push(error) }
  return {
    url,
    clock,
    troubles,
    async join(mine = zones) {
      const worker = await openFleet(url, mine, options)
      joined.push(worker)
      return worker
    },
    async [Symbol.asyncDispose]() {
      for (const { coordinator, ledger } of joined) {
        await coordinator.close()
        await ledger.close()
      }
    },
  }
}

async function claim({ coordinator }: Fleet): Promise<Lease> {
  const lease = await coordinator.claim(never)
  if (!lease) throw new Error('no lease')
  return lease
}

/** What is claimed when nothing is due: the wait is ended after a few questions. */
async function claimNothing({ coordinator }: Fleet): Promise<Lease | undefined> {
  return coordinator.claim(AbortSignal.timeout(200))
}

const ended = (lease: Lease) => new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve()))

test('a zone has one owner at a time, and a growing epoch', async () => {
  await using setting = await fleet(['1', '2', '3'])
  const [a, b] = [await setting.join(), await setting.join()]
  const leases = await Promise.all([claim(a), claim(b), claim(a)])
  expect(leases.map(({ zone }) => zone).toSorted()).toEqual(['1', '2', '3'])
  expect(await claimNothing(b)).toBe(undefined)
  const [first] = leases
  await a.coordinator.release(first, 0, 0)
  const again = await claim(b)
  expect(again).toMatchObject({ zone: first.zone, epoch: first.epoch + 1 })
})

test('of the zones that are due the one nearest to a loss goes first; others wait for the clock of the platform', async () => {
  await using setting = await fleet(['1', '2', '3', '4'])
  const worker = await setting.join()
  const deadlines: Record<string, number> = { 1: 300, 2: 100, 3: 200, 4: 50 }
  const leases = await Promise.all([1, 2, 3, 4].map(() => claim(worker)))
  for (const lease of leases)
    await worker.coordinator.release(lease, lease.zone === '4' ? 5_000 : 500, deadlines[lease.zone] ?? 0)
  const order = [await claim(worker), await claim(worker), await claim(worker)].map(({ zone }) => zone)
  expect(order).toEqual(['2', '3', '1'])
  expect(await claimNothing(worker)).toBe(undefined)
  setting.clock.time = 5_000
  expect((await claim(worker)).zone).toBe('4')
})

test('a due zone is left to the worker that had it last for a while, and to anybody once that one has left', async () => {
  await using setting = await fleet(['1', '2'], { ...calm, affinityMs: 500 })
  const [a, b] = [await setting.join(), await setting.join()]
  for (const lease of [await claim(a), await claim(a)]) await a.coordinator.release(lease, 1_000, 0)
  setting.clock.time = 1_400
  expect(await claimNothing(b)).toBe(undefined)
  await a.coordinator.release(await claim(a), 9_000, 0)
  setting.clock.time = 1_500
  const taken = await claim(b)
  await b.coordinator.release(taken, 2_000, 0)
  await b.coordinator.close()
  setting.clock.time = 2_000
  expect((await claim(a)).zone).toBe(taken.zone)
})

test('many workers that ask at once share the zones without a conflict', async () => {
  const zones = Array.from({ length: 60 }, (_, n) => String(n + 1))
  await using setting = await fleet(zones)
  const workers = await Promise.all([setting.join(), setting.join(), setting.join()])
  const claimed = await Promise.all(zones.map((_, n) => claim(workers[n % 3] as Fleet)))
  expect(new Set(claimed.map(({ zone }) => zone)).size).toBe(60)
})

test('a worker keeps its zones as long as it renews them, and loses them when it stops', async () => {
  const times = { leaseMs: 1_500, renewMs: 300, marginMs: 300, quietMs: 1_000, affinityMs: 0, pollMs: 20 }
  await using setting = await fleet(['1'], times)
  const [a, b] = [await setting.join(), await setting.join()]
  const lease = await claim(a)
  expect(await b.coordinator.claim(AbortSignal.timeout(2 * times.leaseMs))).toBe(undefined)
  expect(lease.signal.aborted).toBe(false)
  // Whoever takes the row away, the next renewal finds out.
  await setting.join().then(() => postgres.query(setting.url, 'update cdn_logs_exporter.zones set epoch = epoch + 1'))
  await ended(lease)
  expect(a.coordinator.held).toBe(0)
})

test('without a renewal all work stops before anybody else may begin', async () => {
  const times = { leaseMs: 1_000, renewMs: 60_000, marginMs: 500, quietMs: 1_000, affinityMs: 0, pollMs: 20 }
  await using setting = await fleet(['1'], times)
  const [a, b] = [await setting.join(), await setting.join()]
  const lease = await claim(a)
  const order: string[] = []
  const stopped = ended(lease).then(() => order.push('stopped'))
  await claim(b).then(() => order.push('begun'))
  await stopped
  expect(order).toEqual(['stopped', 'begun'])
})

test('a process that wakes up after its lease finds so before it asks on', async () => {
  const times = { leaseMs: 400, renewMs: 60_000, marginMs: 100, quietMs: 1_000, affinityMs: 0, pollMs: 20 }
  await using setting = await fleet(['1'], times)
  const worker = await setting.join()
  const lease = await claim(worker)
  const wake = performance.now() + 400
  while (performance.now() < wake); // nothing of this process runs, timers neither
  expect(lease.signal.aborted).toBe(false)
  worker.coordinator.expire()
  expect(lease.signal.aborted).toBe(true)
})

test('a database that restarts is waited for; leases that were renewed in time go on', async () => {
  const times = { leaseMs: 20_000, renewMs: 200, marginMs: 1_000, quietMs: 1_000, affinityMs: 0, pollMs: 50 }
  await using setting = await fleet(['1', '2'], times)
  const worker = await setting.join()
  const lease = await claim(worker)
  const waiting = claim(worker).then((second) => worker.coordinator.release(second, 0, 0))
  await waiting
  await postgres.restart()
  const second = await claim(worker)
  await worker.ledger.begin(second.zone, 0, second.epoch)
  expect(lease.signal.aborted).toBe(false)
  await worker.coordinator.release(lease, 9e12, 0)
  expect(await worker.ledger.position(second.zone)).toBe(0)
})

test('workers may join all at once, also one that has to wait for longer than a statement may take', async () => {
  await using setting = await fleet(['1', '2'], { ...calm, leaseMs: 1_500 })
  const blocker = postgres.query(setting.url, 'select pg_advisory_lock(7220617), pg_sleep(0.8)')
  await Promise.all(Array.from({ length: 6 }, () => setting.join()))
  await blocker
  expect((await postgres.query(setting.url, 'select zone from cdn_logs_exporter.zones')).length).toBe(2)
})

test('the zones of the worker that started last are those of the fleet', async () => {
  await using setting = await fleet(['1', '2'])
  const old = await setting.join()
  await setting.join(['2', '3'])
  const claimed = [await claim(old), await claim(old)].map(({ zone }) => zone)
  expect(claimed.toSorted()).toEqual(['2', '3'])
  expect(await claimNothing(old)).toBe(undefined)
  await setting.join(['1'])
  expect((await claim(old)).zone).toBe('1')
})

test('where every zone is, and what waits for a worker', async () => {
  await using setting = await fleet(['1', '2', '3'])
  const worker = await setting.join()
  const [busy, free] = [await claim(worker), await claim(worker)]
  await worker.ledger.begin(busy.zone, 7_000, busy.epoch)
  await worker.coordinator.release(free, 9_000, 0)
  const due: Record<string, number> = { [busy.zone]: Number.POSITIVE_INFINITY, [free.zone]: 9_000 }
  for (const { zone, position, ...rest } of await worker.positions()) {
    expect(position).toBe(zone === busy.zone ? 7_000 : undefined)
    expect(rest.due).toBe(due[zone] ?? Number.NEGATIVE_INFINITY)
  }
})

test('a worker that waits for a database that is away can be told to end', async () => {
  const stop = new AbortController()
  const joining = openFleet('postgres://user:password@127.0.0.1:1/fleet', ['1'], {
    now: () => Date.now(),
    onTrouble: () => stop.abort(new Error('interrupted')),
    signal: stop.signal,
  })
  await expect(joining).rejects.toThrow('interrupted')
})
