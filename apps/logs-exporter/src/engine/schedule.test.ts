import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createZoneSchedule, pause } from './schedule.ts'

const never = new AbortController().signal

/** A schedule with a simulated clock. A finite sleep ends at once and advances the clock; an infinite sleep never ends. */
function schedule(zones: string[]) {
  const slept: number[] = []
  const clock = { time: 0, slept }
  const sleep = async (ms: number) => {
    slept.push(ms)
    if (Number.isFinite(ms)) clock.time += ms
    else await new Promise(() => {})
  }
  return { clock, ...createZoneSchedule(zones, { elapsed: () => clock.time, sleep }) }
}

test('the due zone whose deadline is next is claimed; while no zone is due, the claim waits for the first one', async () => {
  const waiting = fc.array(fc.record({ wait: fc.nat({ max: 50 }), deadline: fc.nat({ max: 50 }) }), { maxLength: 40 })
  const property = fc.asyncProperty(waiting, fc.array(fc.nat({ max: 20 })), async (zones, steps) => {
    const { claim, release, clock } = schedule(zones.map((_, zone) => String(zone)))
    for (const _ of zones) await claim(never)
    const left = new Map(zones.entries())
    for (const [zone, { wait, deadline }] of left) release(String(zone), wait, deadline)
    for (const step of steps.slice(0, zones.length)) {
      clock.time += step
      const first = Math.max(clock.time, Math.min(...[...left.values()].map(({ wait }) => wait)))
      const zone = Number(await claim(never))
      expect(clock.time).toBe(first)
      const ready = [...left.values()].filter(({ wait }) => wait <= clock.time)
      expect(left.get(zone)?.wait).toBeLessThanOrEqual(clock.time)
      expect(left.get(zone)?.deadline).toBe(Math.min(...ready.map(({ deadline }) => deadline)))
      left.delete(zone)
    }
  })
  await fc.assert(property)
})

test('a released zone wakes a waiting task; the signal ends the wait', async () => {
  const { claim, release } = schedule(['1'])
  const zone = await claim(never)
  const waiting = claim(never)
  if (zone) release(zone, 0, 0)
  expect(await waiting).toBe('1')
  expect(await claim(AbortSignal.abort())).toBe(undefined)
})

test('no more than the given number of zones are claimed at a time; the wait for a release sets no alarm', async () => {
  const { claim, release, clock } = schedule(['1', '2', '3'])
  const zones = [await claim(never, 2), await claim(never, 2)]
  let next: string | undefined
  const waiting = claim(never, 2).then((zone) => {
    next = zone
  })
  await new Promise(setImmediate)
  expect(next).toBeUndefined()
  expect(clock.slept).toEqual([Number.POSITIVE_INFINITY])
  if (zones[0]) release(zones[0], 50, 0)
  await waiting
  expect(next).toBe('3')
})

test('a change ends the alarm, and an earlier zone sets another one', async () => {
  const alarms: { readonly ms: number; readonly signal: AbortSignal; readonly ring: () => void }[] = []
  let time = 0
  const { claim, release } = createZoneSchedule(['1', '2'], {
    elapsed: () => time,
    sleep: (ms, signal) => new Promise((ring) => alarms.push({ ms, signal, ring })),
  })
  const zones = [await claim(never), await claim(never)]
  const stop = new AbortController()
  if (zones[0]) release(zones[0], 50, 0)
  const next = claim(stop.signal)
  if (zones[1]) release(zones[1], 30, 0)
  await new Promise(setImmediate)
  expect(alarms.map(({ ms, signal }) => [ms, signal.aborted])).toEqual([
    [50, true],
    [30, false],
  ])
  time = 40
  alarms[1]?.ring()
  expect(await next).toBe('2')
  const last = claim(stop.signal)
  stop.abort()
  expect(alarms.at(-1)?.signal.aborted).toBe(true)
  alarms.at(-1)?.ring()
  expect(await last).toBeUndefined()
})

test('removed zones are not handed out, also after their current cycle; new ones are due at once', async () => {
  const { claim, release, setZones, clock } = schedule(['1', '2'])
  expect(await claim(never)).toBe('1')
  setZones(['2', '3'])
  release('1', 0, 0)
  expect([await claim(never), await claim(never)]).toEqual(['2', '3'])
  release('2', 5, 0)
  release('3', 9, 0)
  expect([await claim(never), await claim(never)]).toEqual(['2', '3'])
  expect(clock.time).toBe(9)
})

test('a zone that is removed and added during its cycle is handed out only after its release', async () => {
  const { claim, release, setZones } = schedule(['1'])
  expect(await claim(never)).toBe('1')
  setZones([])
  setZones(['1', '2'])
  expect(await claim(never)).toBe('2')
  release('1', 0, 0)
  expect(await claim(never)).toBe('1')
})

test('a pause until a past time ends at once, without a warning from Node', async () => {
  const warnings: string[] = []
  const hear = ({ name }: Error) => void warnings.push(name)
  process.on('warning', hear)
  await pause(-1, new AbortController().signal)
  await new Promise(setImmediate)
  process.off('warning', hear)
  // Other tests of the same process may cause other warnings.
  expect(warnings.filter((name) => name.startsWith('Timeout'))).toEqual([])
})
