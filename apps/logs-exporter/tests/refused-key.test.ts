/** A credential that the platform refuses at a restart is detected, also while no window is due. */
import type { Fault } from '@cdn/emulator'
import { expect, test } from 'vitest'
import { watchRefusals } from '../src/cli/watch-refusals.ts'
import { createSimulation, hour, minute } from './support/simulation.ts'

const around: Fault['around'] = async (call, operation, next) => ({
  ...(await next(call, operation)),
  status: 401,
  body: '',
})

test('every zone counts as refused', async () => {
  const plan = { rechecks: [10 * minute, hour], margin: 71 * hour }
  const simulation = await createSimulation({ traffic: { zones: 2, rowsPerSecond: 0.02 }, plan })
  const { emulator, zones, time } = simulation
  await simulation.pass(4 * minute + 55_000 - (time.now() % (5 * minute)))
  await simulation.run(minute)
  await simulation.pass(minute / 2)
  emulator.faults.add({ name: 'refusing', text: 'Refuses every request.', around })
  const { reader } = simulation.options(new AbortController().signal)
  let isRefused = false
  const observe = watchRefusals(
    reader,
    () => zones.length,
    () => {
      isRefused = true
    },
  )
  await simulation.run(minute / 2, { reader, observe })
  expect(isRefused).toBe(true)
})
