import { DatabaseSync } from 'node:sqlite'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { createLedger } from '../src/ledger/ledger.ts'
import { createRow } from './support/rows.ts'
import { createSimulation, hour, minute, second } from './support/simulation.ts'

const traffic = { zones: 2, rowsPerSecond: 0.05 }

test('exports whole windows of a range once, and skips exported ones', async () => {
  const simulation = await createSimulation({ traffic })
  const { time, zones, sink, events } = simulation
  const start = Math.floor((time.now() - 30 * hour) / hour) * hour
  expect(await simulation.backfill(start + minute, start + hour - minute)).toEqual(
    zones.map((zone) => ({
      zone,
      until: start + hour,
      gaps: [],
      unkept: [],
      unread: [],
      missing: [],
      error: undefined,
    })),
  )
  const rows = sink.rows()
  events.length = 0
  await simulation.backfill(start - hour, start + 2 * hour)
  expect(events.filter(({ type }) => type === 'window')).toHaveLength(2 * 24)
  for (const zone of zones) expect(await simulation.violations(zone, start - hour, start + 2 * hour)).toEqual([])
  expect(sink.rows()).toBeGreaterThan(2 * rows)
  // Tasks of an orchestrator begin with an empty disk each time.
  const ledger = createLedger(new DatabaseSync(':memory:'))
  expect(await simulation.backfill(start, start + hour, { ledger })).toMatchObject([{ missing: [] }, { missing: [] }])
  expect(events.filter(({ type }) => type === 'window' || type === 'conflict')).toHaveLength(2 * 24)
  // A backfill does not set the start position of a daemon.
  expect(await simulation.ledger.position(zones[0])).toBeUndefined()
})

test('stops at the first window that is not closed, and reports the range that was beyond the retention, but not as lost', async () => {
  const simulation = await createSimulation({ traffic })
  const { time, zones, plan } = simulation
  const now = time.now()
  const results = await simulation.backfill(now - 80 * hour, now + hour)
  for (const { zone, until, gaps, unkept, error } of results) {
    expect(error).toBeUndefined()
    expect(until).toBeLessThanOrEqual(now - plan.lateness)
    expect(until).toBeGreaterThan(now - plan.lateness - plan.window)
    expect(gaps).toEqual([])
    const edge = assertDefined(unkept[0]).to
    expect(unkept).toEqual([{ zone, from: Math.floor((now - 80 * hour) / plan.window) * plan.window, to: edge }])
    expect(edge).toBeLessThan(now - plan.retention + 2 * plan.window)
    expect(await simulation.violations(zone, edge, until)).toEqual([])
  }
  expect(results.map(({ zone }) => zone)).toEqual(zones)
})

test('stops a refused zone, and exports the others', async () => {
  const simulation = await createSimulation({ traffic })
  const { time, emulator, zones } = simulation
  const [refused, other] = zones
  assertDefined(emulator.state.zones.get(refused)).status = 'suspended'
  const [first, second] = await simulation.backfill(time.now() - 3 * hour, time.now() - 2 * hour)
  expect(first).toMatchObject({ zone: refused, error: { name: 'ApiError', status: 403 } })
  expect(second).toMatchObject({ zone: other, error: undefined })
})

test('retries a failing platform several times before it drops the zone', async () => {
  const simulation = await createSimulation({ traffic })
  const { time, emulator, zones } = simulation
  emulator.faults.add({ name: 'internal-error', times: 60 })
  const start = Math.floor((time.now() - 3 * hour) / hour) * hour
  for (const { error } of await simulation.backfill(start, start + hour)) expect(error).toBeUndefined()
  for (const zone of zones) expect(await simulation.violations(zone, start, start + hour)).toEqual([])
  emulator.faults.add({ name: 'internal-error' })
  for (const { error } of await simulation.backfill(start - hour, start)) expect(error).toMatchObject({ status: 500 })
})

test('a window whose segments are gone is read again; it is reported as missing if the platform no longer has its rows', async () => {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.05 } })
  const { time, zone, sink, emulator, plan } = simulation
  const start = Math.floor((time.now() - 3 * hour) / hour) * hour
  await simulation.backfill(start, start + hour)
  // A late row becomes a second segment of the second window.
  const late = createRow(start + plan.window + minute)
  emulator.state.logs.append([late])
  await simulation.backfill(start, start + hour, { again: true })
  const windowAt = (n: number) => ({ zone, from: start + n * plan.window, to: start + (n + 1) * plan.window })
  sink.remove({ ...windowAt(0), revision: 0 })
  sink.remove({ ...windowAt(1), revision: 0 })
  expect(await simulation.violations(zone, start, start + hour)).not.toEqual([])
  const [restored] = await simulation.backfill(start, start + hour)
  expect(restored).toMatchObject({ until: start + hour, gaps: [], missing: [], error: undefined })
  expect(await simulation.violations(zone, start, start + hour)).toEqual([])

  sink.remove({ ...windowAt(2), revision: 0 })
  await simulation.pass(75 * hour)
  const [broken] = await simulation.backfill(start, start + hour)
  expect(broken?.missing).toEqual([expect.objectContaining(windowAt(2))])
})

test('windows of the sink that are older than the retention are not counted as lost by a later run', async () => {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.01 }, plan: { margin: 71 * hour } })
  const { time, events, zone } = simulation
  const start = Math.floor((time.now() - 3 * hour) / hour) * hour
  await simulation.backfill(start, start + hour)
  await simulation.pass(73 * hour)
  // On another disk, the ledger begins anew.
  const ledger = createLedger(new DatabaseSync(':memory:'))
  expect(await simulation.backfill(start, start + hour, { ledger })).toMatchObject([{ unkept: [], missing: [] }])
  events.length = 0
  await simulation.run(minute, { ledger })
  expect(events.filter(({ type }) => type === 'recheck-missed')).toEqual([])
  expect(await ledger.gaps(zone)).toMatchObject([{ from: start + hour }])
})

test.each([0, 700, 'whole'] as const)(
  'a restored segment is written to standard output from its start, with its late rows (%s was written)',
  async (sent) => {
    const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.05 } })
    const { time, zone, sink, emulator, plan, ledger } = simulation
    const start = Math.floor((time.now() - 3 * hour) / hour) * hour
    await ledger.setStdout(true)
    await simulation.backfill(start, start + plan.window)
    await ledger.moveCursor(assertDefined(await ledger.nextSegment()), sent)
    sink.remove({ zone, from: start, to: start + plan.window, revision: 0 })
    emulator.state.logs.append([createRow(start)])
    await simulation.backfill(start, start + plan.window)
    expect(await ledger.nextSegment()).toMatchObject({ from: start, revision: 0, sent: 0 })
    expect(await ledger.stdoutLag()).toMatchObject({ segments: 1 })
  },
)

test('short outages of the platform do not make a backfill read windows again that it has read', async () => {
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.05 }, latency: 30 * second })
  const { time, zone, emulator, plan } = simulation
  const start = Math.floor((time.now() - 5 * hour) / hour) * hour
  await simulation.backfill(start, start + 3 * hour)
  emulator.state.logs.append([createRow(start + 3 * hour - minute)])
  /** Numbers of the windows whose request begins an outage, until the cycle has failed. */
  const outages = [8, 16, 24]
  let isOut = false
  emulator.faults.add({
    name: 'outages',
    text: 'The platform is down at times.',
    around: async (call, operation, next) => {
      const from = Date.parse(new URLSearchParams(call.query).get('from') ?? '')
      isOut ||= Math.ceil((from - start) / plan.window) === outages[0] // a request begins a millisecond earlier
      return isOut ? { status: 503, headers: {}, body: '' } : next(call, operation)
    },
  })
  const [result] = await simulation.backfill(start, start + 3 * hour, {
    again: true,
    observe({ type }) {
      if (type !== 'failed') return
      isOut = false
      outages.shift()
    },
  })
  expect([result?.error, outages]).toEqual([undefined, []])
  expect(await simulation.violations(zone, start, start + 3 * hour)).toEqual([])
})
