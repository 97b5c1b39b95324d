/** A worker that has lost its zone leaves it alone (§7 of the design). */
import { expect, it } from 'vitest'
import type { Coordinator, Lease } from '../src/fleet/coordinator.ts'
import { SinkError } from '../src/sinks/sink-error.ts'
import { createSimulation, hour, minute } from './support/simulation.ts'

it('writes, records and asks for nothing after its lease has ended, and the next owner goes on', async () => {
  const traffic = { zones: 1, rowsPerSecond: 0.1, lateShare: 0.2, maxLatenessMs: hour }
  const plan = { margin: 70 * hour, looks: [10 * minute, 2 * hour], window: 15 * minute }
  const simulation = await createSimulation({ traffic, plan, latency: 100 })
  const { emulator, time, zones, sink, ledger, events } = simulation
  const [zone = ''] = zones
  const start = Math.ceil((time.now() - 2 * hour) / plan.window) * plan.window
  const controller = new AbortController()
  const first: Lease = { zone, epoch: 1, signal: controller.signal }
  let atEnd: unknown
  const state = async () => [sink.rows(), await ledger.position(zone), emulator.journal.entries.length]
  const end = simulation.start({
    coordinator: leaseOnce(first),
    sink: {
      ...sink,
      // The worker is stopped in the middle of a segment; it wakes when somebody else has the zone.
      async begin(...args) {
        const writer = await sink.begin(...args)
        return {
          ...writer,
          async publish() {
            if (sink.rows() > 50) {
              controller.abort(new Error('the lease has ended'))
              atEnd ??= await state()
            }
            return writer.publish()
          },
        }
      },
    },
  })
  await simulation.pass(hour)
  await end()
  expect(controller.signal.aborted).toBe(true)
  expect(await state()).toEqual(atEnd)
  expect(events.map(({ type }) => type)).toContain('fenced')

  const second = simulation.start()
  await simulation.pass(6 * hour)
  await second()
  expect(await simulation.violations(zone, start, start + 4 * hour)).toEqual([])
})

it('says what the fence of a sink says while its lease is good, and does not ask in a loop', async () => {
  const simulation = await createSimulation({ plan: { margin: 71 * hour } })
  const { sink, events, emulator } = simulation
  const text = 'Zone 1 has been written by a newer lease.'
  const publish = () => Promise.reject(new SinkError('fenced', text))
  const end = simulation.start({
    sink: { ...sink, begin: async (...args) => ({ ...(await sink.begin(...args)), publish }) },
  })
  await simulation.pass(30 * minute)
  await end()
  const failures = events.filter(({ type }) => type === 'failed')
  expect(failures[0]).toMatchObject({ error: { message: text } })
  expect(events.map(({ type }) => type)).not.toContain('fenced')
  // Once a minute at most, after the first ones.
  expect(failures.length).toBeGreaterThan(20)
  expect(failures.length).toBeLessThan(40)
  expect(emulator.journal.entries.length).toBeLessThan(150)
})

/** Gives one lease, once. */
function leaseOnce(lease: Lease): Coordinator {
  let isGiven = false
  return {
    async claim(signal) {
      if (!isGiven) {
        isGiven = true
        return lease
      }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return undefined
    },
    async release() {},
    async close() {},
  }
}
