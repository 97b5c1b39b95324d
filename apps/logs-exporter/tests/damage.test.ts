/** Segments that are gone, or not what was written: nothing is doubled for it, and what else there is goes on (§7 of the design). */
import { expect, it } from 'vitest'
import { SinkError } from '../src/sinks/sink-error.ts'
import { createRow } from './support/rows.ts'
import { createSimulation, hour, minute } from './support/simulation.ts'

const looks = [20 * minute, 40 * minute, 3 * hour]
const plan = { margin: 60 * hour, looks, window: 15 * minute }

/**
 * Exports into a sink of which one segment is in trouble; a row comes late for its window, the newest that has settled.
 *
 * @param troubled whether it is listed while it is in trouble; may throw
 */
async function exportLate(troubled: () => boolean) {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.02 }, plan })
  const { time, zones, emulator } = simulation
  const [zone = ''] = zones
  const clock = simulation.options(new AbortController().signal).reader
  // The clock of a machine is finer than a millisecond.
  const reader = { ...clock, now: () => clock.now() + 0.25 }
  const from = Math.floor((time.now() - 5 * minute) / plan.window - 1) * plan.window
  emulator.state.logs.append([createRow(from + minute, { visibleFrom: time.now() + 10 * minute })])
  const trouble = { isOn: false }
  const { sink } = simulation
  const end = simulation.start({
    reader,
    sink: {
      ...sink,
      async *segments(...range) {
        for await (const segment of sink.segments(...range))
          if (!trouble.isOn || segment.from !== from || troubled()) yield segment
      },
    },
  })
  await simulation.pass(minute)
  trouble.isOn = true
  return { simulation, trouble, end, zone, from }
}

it('a segment that somebody moved away: late rows of its window wait until it is back, and are named', async () => {
  const { simulation, trouble, end, zone, from } = await exportLate(() => false)
  const { sink, events, ledger, time } = simulation
  await simulation.pass(90 * minute)
  const ofLate = () => sink.exported(zone).filter((segment) => segment.from === from)
  expect(ofLate()).toHaveLength(1)
  const failure = events.find(({ type }) => type === 'failed')
  expect(failure).toMatchObject({
    error: { kind: 'damaged', message: expect.stringContaining(`lacks segment r0 of zone ${zone}`) },
  })
  // The zone is where it would be without that.
  expect(await ledger.position(zone)).toBeGreaterThan(time.now() - 30 * minute)
  trouble.isOn = false
  await simulation.pass(2 * hour)
  await end()
  expect(ofLate().map(({ revision, lines }) => [revision, lines.length > 0])).toEqual([
    [0, true],
    [1, true],
  ])
  expect(ofLate()[1]?.lines).toHaveLength(1)
  expect(await simulation.violations(zone, from - 9 * hour, from + 3 * hour)).toEqual([])
})

it('a segment that cannot be read: its window fails again and again, and is named as not looked at in the end', async () => {
  const { simulation, end, zone, from } = await exportLate(() => {
    throw new SinkError('damaged', 'The file is cut short.')
  })
  const { events, ledger, time } = simulation
  // As after a crash: nobody knows how many rows there are, so the platform is not asked for their number.
  const [state] = await ledger.windows(zone, from, from + 1)
  if (state) await ledger.record({ ...state, rows: undefined }, undefined, 0)
  await simulation.pass(73 * hour)
  await end()
  expect(await ledger.position(zone)).toBeGreaterThan(time.now() - 30 * minute)
  expect(events.filter(({ type }) => type === 'look-missed')).toEqual([
    expect.objectContaining({ window: expect.objectContaining({ from }) }),
  ])
  expect(await ledger.gaps(zone)).toMatchObject([{ from, to: from + plan.window }])
  expect(await simulation.violations(zone, from + plan.window, from + 70 * hour)).toEqual([])
})
