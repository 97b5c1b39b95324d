/** A worker that has lost its zone leaves it alone (§7 of the design). */
import { expect, it } from 'vitest'
import type { Coordinator, Lease } from '../src/fleet/coordinator.ts'
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
