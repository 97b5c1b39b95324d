import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDueQueue } from './due-queue.ts'
import { createLocalCoordinator } from './local-coordinator.ts'

const never = new AbortController().signal

test('the queue gives what a sorted list gives', () => {
  const waiting = fc.array(fc.record({ due: fc.nat({ max: 50 }), deadline: fc.nat() }), { maxLength: 40 })
  fc.assert(
    fc.property(waiting, fc.array(fc.nat({ max: 20 })), (zones, steps) => {
      const queue = createDueQueue()
      const list = zones.map((zone, n) => ({ ...zone, zone: String(n) }))
      for (const { zone, due, deadline } of list) queue.add(zone, due, deadline)
      let now = 0
      for (const step of steps) {
        now += step
        const ready = list.filter(({ due }) => due <= now)
        const least = Math.min(...ready.map(({ deadline }) => deadline))
        const taken = queue.take(now)
        const index = list.findIndex(({ zone }) => zone === taken)
        expect(list[index]?.deadline).toBe(ready.length > 0 ? least : undefined)
        if (index >= 0) list.splice(index, 1)
      }
    }),
  )
})

/** A coordinator whose clock is moved by its sleepers, in steps as they asked for. */
function coordinator(zones: string[]) {
  const clock = { time: 0, slept: [] as number[] }
  const sleep = async (ms: number) => {
    clock.slept.push(ms)
    if (Number.isFinite(ms)) clock.time += ms
    else await new Promise(() => {})
  }
  return { clock, ...createLocalCoordinator(zones, { now: () => clock.time, sleep }) }
}

test('all zones are due at once, each goes to one task', async () => {
  const { claim } = coordinator(['1', '2'])
  const zones = [await claim(never), await claim(never)].map((lease) => lease?.zone)
  expect(zones.toSorted()).toEqual(['1', '2'])
})

test('a zone comes back when it is due, the one nearest to a loss first', async () => {
  const { claim, release, clock } = coordinator(['1', '2'])
  for (const [due, deadline] of [
    [500, 2],
    [400, 1],
  ] as const) {
    const lease = await claim(never)
    if (lease) await release(lease, due, deadline)
  }
  const first = await claim(never)
  expect([first?.zone, clock.time]).toEqual(['2', 400])
  expect([(await claim(never))?.zone, clock.time]).toEqual(['1', 500])
})

test('who waits is woken by a zone that is given back, and ends with the signal', async () => {
  const { claim, release } = coordinator(['1'])
  const lease = await claim(never)
  const waiting = claim(never)
  if (lease) await release(lease, 0, 0)
  expect((await waiting)?.zone).toBe('1')
  expect(await claim(AbortSignal.abort())).toBe(undefined)
})

test('those who wait are served in turn, and one alarm is set for all of them', async () => {
  const alarms: { readonly ms: number; readonly signal: AbortSignal; readonly ring: () => void }[] = []
  let time = 0
  const { claim, release } = createLocalCoordinator(['1', '2'], {
    now: () => time,
    sleep: (ms, signal) => new Promise((ring) => alarms.push({ ms, signal, ring })),
  })
  const leases = [await claim(never), await claim(never)]
  const [stop, got] = [new AbortController(), [] as string[]]
  const all = ['a', 'b', 'c'].map(async (name) => got.push(`${name}${(await claim(stop.signal))?.zone}`))
  expect(alarms).toHaveLength(0)
  if (leases[0]) await release(leases[0], 50, 0)
  if (leases[1]) await release(leases[1], 30, 0)
  expect(alarms.map(({ ms, signal }) => [ms, signal.aborted])).toEqual([
    [50, true],
    [30, false],
  ])
  time = 60
  alarms[1]?.ring()
  await Promise.all(all.slice(0, 2))
  expect(got.map(([name]) => name)).toEqual(['a', 'b'])
  stop.abort()
  await Promise.all(all)
  expect(got.at(-1)).toBe('cundefined')
  expect(alarms.every(({ signal }, index) => index === 1 || signal.aborted)).toBe(true)
})
