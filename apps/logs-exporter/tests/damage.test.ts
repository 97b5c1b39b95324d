/** Missing or changed segments: no row is duplicated, and the rest of the export continues. */
import { expect, test } from 'vitest'
import { SinkError } from '../src/errors.ts'
import { createRow } from './support/rows.ts'
import { createSimulation, hour, minute } from './support/simulation.ts'

const rechecks = [20 * minute, 40 * minute, 3 * hour]
const plan = { margin: 60 * hour, rechecks, window: 15 * minute }

/**
 * Exports into a sink with one damaged segment. A late row arrives for the window of that segment, the newest closed one.
 *
 * @param isListed whether the sink lists the segment while it is damaged; may throw
 */
async function exportLate(isListed: () => boolean) {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.02 }, plan })
  const { time, zone, emulator } = simulation
  const clock = simulation.options(new AbortController().signal).reader
  // Real clocks have fractions of a millisecond.
  const reader = { ...clock, now: () => clock.now() + 0.25 }
  const from = Math.floor((time.now() - 5 * minute) / plan.window - 1) * plan.window
  emulator.state.logs.append([createRow(from + minute, { visibleFrom: time.now() + 10 * minute })])
  const damage = { isOn: false }
  const { sink } = simulation
  const end = simulation.start({
    reader,
    sink: {
      ...sink,
      async *segments(...range) {
        for await (const segment of sink.segments(...range))
          if (!damage.isOn || segment.from !== from || isListed()) yield segment
      },
    },
  })
  await simulation.pass(minute)
  damage.isOn = true
  return { simulation, damage, end, zone, from }
}

test('late rows of a window with a missing segment wait for its return, and are reported', async () => {
  const { simulation, damage, end, zone, from } = await exportLate(() => false)
  const { sink, events, ledger, time } = simulation
  await simulation.pass(90 * minute)
  const ofLate = () => sink.exported(zone).filter((segment) => segment.from === from)
  expect(ofLate()).toHaveLength(1)
  const failure = events.find(({ type }) => type === 'failed')
  expect(failure).toMatchObject({
    error: { kind: 'damaged', message: expect.stringContaining(`lacks segment r0 of zone ${zone}`) },
  })
  // The damage does not delay the zone.
  expect(await ledger.position(zone)).toBeGreaterThan(time.now() - 30 * minute)
  damage.isOn = false
  await simulation.pass(2 * hour)
  await end()
  expect(ofLate().map(({ revision, lines }) => [revision, lines.length > 0])).toEqual([
    [0, true],
    [1, true],
  ])
  expect(ofLate()[1]?.lines).toHaveLength(1)
  expect(await simulation.violations(zone, from - 9 * hour, from + 3 * hour)).toEqual([])
})

test('the window of an unreadable segment fails repeatedly, and is finally reported as not rechecked', async () => {
  const { simulation, end, zone, from } = await exportLate(() => {
    throw new SinkError('damaged', 'The file is cut short.')
  })
  const { events, ledger, time } = simulation
  // As after a crash, the row count is unknown, so a recheck cannot use a count probe.
  const [state] = await ledger.windows(zone, from, from + 1)
  if (state) await ledger.record({ ...state, rows: undefined })
  await simulation.pass(73 * hour)
  await end()
  expect(await ledger.position(zone)).toBeGreaterThan(time.now() - 30 * minute)
  expect(events.filter(({ type }) => type === 'recheck-missed')).toEqual([
    expect.objectContaining({ window: expect.objectContaining({ from }) }),
  ])
  expect(await ledger.gaps(zone)).toMatchObject([{ from, to: from + plan.window }])
  expect(await simulation.violations(zone, from + plan.window, from + 70 * hour)).toEqual([])
})

test('a backfill reads the other windows again, and reports the damaged segment', async () => {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.05 } })
  const { time, zone, sink, emulator, plan } = simulation
  const start = Math.floor((time.now() - 3 * hour) / hour) * hour
  await simulation.backfill(start, start + hour)
  emulator.state.logs.append([createRow(start + plan.window + minute)])
  const error = new SinkError('damaged', 'The file is cut short.')
  const damaged: typeof sink = {
    ...sink,
    async *segments(...range) {
      for await (const segment of sink.segments(...range)) {
        if (segment.from === start) throw error
        yield segment
      }
    },
  }
  const [result] = await simulation.backfill(start, start + 2 * hour, { again: true, sink: damaged })
  expect(result).toMatchObject({ error, until: start + 2 * hour })
  expect(await simulation.violations(zone, start, start + 2 * hour)).toEqual([])
})
