/** The guarantee of docs/exporter.md, checked row by row, for all kinds of rows. */
import { defaultStart, type EmulatorOptions, type StoredLogRow as LogRow } from '@cdn/emulator'
import { describe, expect, test } from 'vitest'
import { createRow } from './support/rows.ts'
import { createSimulation, hour, minute, second } from './support/simulation.ts'

/** With this plan, a zone starts two hours back, so that a test does not export three days. */
const plan = { margin: 70 * hour, rechecks: [10 * minute, hour, 6 * hour], window: 15 * minute }

interface Case {
  readonly options?: EmulatorOptions
  /** Rows in addition to the traffic. @param at start of the simulation, in ms since 1970 */
  readonly rows?: (at: number) => Iterable<LogRow>
  readonly shownTime?: (timestamp: number) => number
}

const late = { zones: 1, rowsPerSecond: 0.1, lateShare: 0.3, maxLatenessMs: 5 * hour }
const cases: Record<string, Case> = {
  'rows that are up to five hours late, ties, shared ids': {
    options: { traffic: { ...late, tieShare: 0.5 }, variants: { requestIds: 'some shared' } },
  },
  'poison text, null ids': {
    options: { traffic: { ...late, tieShare: 0.3, hostileShare: 1 }, variants: { requestIds: 'some null' } },
  },
  'null fields, and another form of time': {
    options: { traffic: late, variants: { nullFields: 'null', timestampStyle: '+00:00', emptyPage: 'null' } },
  },
  'times with more digits than shown, truncated': {
    options: { traffic: late, variants: { storedPrecision: 'microsecond', shownPrecision: 'cut' } },
  },
  'times with more digits than shown, rounded': {
    options: { traffic: late, variants: { storedPrecision: 'microsecond', shownPrecision: 'rounded' } },
    shownTime: Math.round,
  },
  'a server with small pages': { options: { traffic: { ...late, rowsPerSecond: 0.25 }, variants: { pageCap: 1000 } } },
  'the first and the last millisecond of windows': {
    rows: (at) => around(at, 15 * minute, [-1, 0, 1]),
  },
  'rows that are equal in every field': {
    rows: (at) => Array.from({ length: 6 }, (_, index) => createRow(at + minute, { visibleFrom: at + index * hour })),
  },
  'the end of a year': { options: { start: new Date('2026-12-31T23:50:00Z'), traffic: late } },
}

describe('every row that is visible during a read is exported once:', () => {
  test.each(Object.entries(cases))('%s', async (_name, { options, rows, shownTime }) => {
    const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.02 }, ...options, plan })
    const { time, emulator, events, sink, zone } = simulation
    const at = (options?.start ?? defaultStart).getTime()
    if (rows) emulator.state.logs.append(rows(at))
    await simulation.run(9 * hour)
    const start = Math.ceil((at - 2 * hour) / plan.window) * plan.window
    expect(await simulation.violations(zone, start, start + 4 * hour, { shownTime })).toEqual([])
    expect(sink.exported(zone).some(({ revision }) => revision > 0)).toBe(true)
    expect(events.filter(({ type }) => type === 'failed' || type === 'shrunk-read' || type === 'gap')).toEqual([])
    expect(time.now()).toBe(at + 9 * hour)
  })
})

test('a millisecond with more rows than a response is an open gap, and everything else is exported', async () => {
  const traffic = { zones: 1, rowsPerSecond: 0.02 }
  const simulation = await createSimulation({ traffic, variants: { pageCap: 1000 }, plan })
  const { emulator, zone } = simulation
  const at = defaultStart.getTime() - hour + minute
  emulator.state.logs.append(Array.from({ length: 1040 }, (_, index) => createRow(at, { bytesSent: index })))
  await simulation.run(3 * hour)
  expect(await simulation.gaps(zone)).toEqual([])
  // The margin before the next millisecond has the same rows.
  const reason = expect.stringContaining('more rows than a response can hold')
  expect(await simulation.ledger.openGaps(zone)).toEqual([{ from: at, to: at + 2, reason }])
  const start = Math.ceil((at - hour) / plan.window) * plan.window
  expect(await simulation.violations(zone, start, start + 2 * hour)).toEqual([])
})

test('rows of the origin shield are exported once after the setting is changed', async () => {
  let isOn = false
  const traffic = { ...late, rowsPerSecond: 0.05 }
  const simulation = await createSimulation({ traffic, plan, hasShield: () => isOn })
  const { time, sink, zone, events } = simulation
  const start = Math.ceil((time.now() - 2 * hour) / plan.window) * plan.window
  await simulation.run(hour)
  isOn = true
  await simulation.run(10 * hour)
  expect(await simulation.violations(zone, start, start + 5 * hour)).toEqual([])
  expect(sink.exported(zone).some(({ revision }) => revision > 0)).toBe(true)
  expect(events.filter(({ type }) => type === 'shrunk-read' || type === 'gap')).toEqual([])
})

/** Rows around each window boundary. Some are on time, some late. */
function* around(at: number, length: number, offsets: readonly number[]): Generator<LogRow> {
  for (let boundary = Math.ceil((at - hour) / length) * length; boundary <= at + hour; boundary += length) {
    for (const offset of offsets) {
      yield createRow(boundary + offset, { bytesSent: 1 })
      yield createRow(boundary + offset, { bytesSent: 2, visibleFrom: boundary + 40 * minute + second })
    }
  }
}
