/** A credential that the platform refuses at a restart is detected, whatever work is due. */
import type { Fault } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { watchRefusals } from '../src/cli/watch.ts'
import { createSimulation, hour, minute } from './support/simulation.ts'

const around: Fault['around'] = async (call, operation, next) => ({
  ...(await next(call, operation)),
  status: 401,
  body: '',
})

test.each([
  ['a recheck', 12 * minute, 10_000 * hour],
  ['a window', 6 * minute, 0],
  ['a recheck and a window', 20 * minute, 0],
  ['nothing', minute / 2, 0],
])('with %s due', async (_name, pauseMs, lateness) => {
  const plan = { rechecks: [10 * minute, hour], margin: 71 * hour }
  const simulation = await createSimulation({ traffic: { zones: 2, rowsPerSecond: 0.02 }, plan })
  const { emulator, zones, time } = simulation
  await simulation.pass(4 * minute + 55_000 - (time.now() % (5 * minute)))
  const end = simulation.start()
  await simulation.pass(minute)
  await end()
  await simulation.pass(pauseMs)
  emulator.faults.add({ name: 'refusing', text: 'Refuses every request.', around })
  const refusals = watchRefusals(zones.length, () => {})
  const again = simulation.start({
    observe: refusals.observe,
    // With this lateness, no further window closes.
    plan: { ...simulation.plan, ...(lateness > 0 && { lateness }) },
  })
  await simulation.pass(minute / 2)
  await again()
  expect(refusals.isRefused()).toBe(true)
})
