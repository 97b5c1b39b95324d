/** Clocks that are wrong from the start, or become wrong later. No row is lost, and no window lies in the platform's future. */

import type { Fault } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { describe, expect, test } from 'vitest'
import { createSimulation, hour, minute, type Simulation } from './support/simulation.ts'

const day = 24 * hour
const traffic = { zones: 1, rowsPerSecond: 0.02 }
/** With this plan, a zone starts three hours back. */
const plan = { margin: 69 * hour, rechecks: [10 * minute, hour] }
/** Errors of the machine's clock: more than the retention in both directions, slightly less, and more than the lateness. */
const offsets = [4 * day, -4 * day, 71 * hour, -10 * minute]

/** Checks what must hold for an exporter that has run for `ran` ms. */
async function expectAll(simulation: Simulation, ran: number): Promise<void> {
  const { zone, time, ledger, events } = simulation
  const begun = Math.ceil((time.now() - ran - 3 * hour) / hour) * hour
  expect(await simulation.violations(zone, begun, time.now() - 70 * minute)).toEqual([])
  expect(await simulation.gaps(zone)).toEqual([])
  const position = assertDefined(await ledger.position(zone))
  expect(position).toBeLessThanOrEqual(time.now())
  expect(position).toBeGreaterThan(time.now() - 30 * minute)
  expect(await ledger.windows(zone, time.now(), Number.POSITIVE_INFINITY)).toEqual([])
  for (const event of events) if (event.type === 'position') expect(event.closed).toBeLessThanOrEqual(time.now())
}

describe.each(offsets)('a machine whose clock is %i ms off', (off) => {
  test.each([
    ['from the start', Number.NEGATIVE_INFINITY],
    ['from a later time on', Number.POSITIVE_INFINITY],
  ])('%s: all rows within the retention are exported once', async (_, first) => {
    let since = first
    const simulation = await createSimulation({ traffic, plan, machineTime: (at) => (at < since ? at : at + off) })
    const end = simulation.start()
    await simulation.pass(hour)
    since = Math.min(since, simulation.time.now() + minute)
    await simulation.pass(3 * hour)
    await end()
    await expectAll(simulation, 4 * hour)
    const event = { type: 'clock', offset: expect.closeTo(off, -4), jump: first > 0 }
    expect(simulation.events.filter(({ type }) => type === 'clock')).toEqual([event])
  })
})

test('without an answer of the platform at the start, no window is planned', async () => {
  const simulation = await createSimulation({ traffic, plan, machineTime: (at) => at + 4 * day })
  const { emulator, ledger, zone } = simulation
  const around: Fault['around'] = async () => {
    throw new TypeError('fetch failed')
  }
  const works = emulator.faults.add({ name: 'down', text: 'The platform does not answer.', around })
  const end = simulation.start()
  await simulation.pass(20 * minute)
  expect([await ledger.position(zone), await ledger.gaps(zone), await ledger.windows(zone, 0, 9e15)]).toEqual([
    undefined,
    [],
    [],
  ])
  expect(simulation.events.filter(({ type }) => type === 'failed').length).toBeGreaterThan(2)
  works()
  await simulation.pass(4 * hour)
  await end()
  await expectAll(simulation, 4 * hour + 20 * minute)
})

test('a ledger with entries in the future, from a wrong clock, is dropped and reported', async () => {
  const simulation = await createSimulation({ traffic, plan })
  const { ledger, zone, time, events } = simulation
  const future = Math.ceil((time.now() + day) / hour) * hour
  const window = { zone, rows: 0, nextRevision: 0 }
  await ledger.begin(zone, future)
  for (let from = future; from < future + 12 * hour; from += 5 * minute) {
    const to = from + 5 * minute
    await ledger.record({ ...window, from, to, checkedAt: to + 5 * minute, recheckDue: to + 10 * minute })
  }
  await ledger.recordGap({ zone, from: future - hour, to: future, reason: 'wrong', noticedAt: future + 12 * hour })
  await simulation.run(4 * hour)
  await expectAll(simulation, 4 * hour)
  expect(events.filter(({ type }) => type === 'recovered')).toEqual([
    { type: 'recovered', zone, position: future + 12 * hour },
  ])
})
