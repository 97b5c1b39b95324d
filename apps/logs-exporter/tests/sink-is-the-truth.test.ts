/** Segments are immutable, and the exporter survives the loss of its ledger. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createLedger } from '../src/ledger/ledger.ts'
import { createRow } from './support/rows.ts'
import { createSimulation, hour, minute, type Simulation } from './support/simulation.ts'

const traffic = { zones: 1, rowsPerSecond: 0.05, lateShare: 0.3, maxLatenessMs: 3 * hour }
const plan = { margin: 69 * hour, rechecks: [10 * minute, hour, 4 * hour], window: 15 * minute }

test('a lost ledger is rebuilt: no row is duplicated, and rows missed in between are exported', async () => {
  const simulation = await createSimulation({ traffic, plan })
  const { time, zone, sink } = simulation
  const start = Math.ceil((time.now() - 3 * hour) / plan.window) * plan.window
  await simulation.run(2 * hour)
  const before = new Map(sink.exported(zone).map((segment) => [`${segment.from}.${segment.revision}`, segment]))
  // Longer than the range with which a new zone starts.
  await simulation.pass(12 * hour)
  await simulation.run(6 * hour, { ledger: createLedger(new DatabaseSync(':memory:')) })
  expect(await simulation.violations(zone, start, start + 12 * hour)).toEqual([])
  const after = new Map(sink.exported(zone).map((segment) => [`${segment.from}.${segment.revision}`, segment]))
  for (const [key, segment] of before) expect(after.get(key)).toEqual(segment)
})

test('a zone that began an hour ago loses its ledger: no range is reported as lost, and the start stays the same', async () => {
  const margin = 71 * hour
  const simulation = await createSimulation({
    traffic,
    plan: { margin, rechecks: [10 * minute], window: hour },
    latency: 20_000,
  })
  const { time, zone, sink } = simulation
  const start = Math.ceil((time.now() - 72 * hour + margin) / hour) * hour
  await simulation.run(hour)
  const ledger = createLedger(new DatabaseSync(':memory:'))
  await simulation.run(2 * hour, { ledger })
  expect(await ledger.gaps(zone)).toEqual([])
  expect(sink.exported(zone).filter(({ from }) => from < start)).toEqual([])
  expect(sink.rows()).toBeGreaterThan(0)
})

test('after an absence longer than the retention with a lost ledger, the gap from the last segment on is reported', async () => {
  const simulation = await createSimulation({
    traffic: { zones: 1, rowsPerSecond: 0.01 },
    plan: { ...plan, rechecks: [] },
  })
  const { time, zone } = simulation
  await simulation.run(hour)
  const position = await simulation.ledger.position(zone)
  await simulation.pass(90 * hour)
  const ledger = createLedger(new DatabaseSync(':memory:'))
  await simulation.run(10 * minute, { ledger })
  expect(await ledger.gaps(zone)).toEqual([expect.objectContaining({ from: position })])
  expect(await ledger.position(zone)).toBeGreaterThan(time.now() - hour)
})

test('two exporters with separate ledgers on one sink: the first one wins, and the other adds new rows', async () => {
  const simulation = await createSimulation({ traffic, plan })
  const { time, zone, events } = simulation
  const start = Math.ceil((time.now() - 3 * hour) / plan.window) * plan.window
  const one = simulation.start()
  // The other exporter reads later, after late rows have arrived.
  const late = { ...simulation.plan, lateness: 40 * minute }
  const other = simulation.start({ ledger: createLedger(new DatabaseSync(':memory:')), plan: late })
  await simulation.pass(10 * hour)
  await Promise.all([one(), other()])
  expect(await simulation.violations(zone, start, start + 7 * hour)).toEqual([])
  expect(events.some(({ type }) => type === 'conflict')).toBe(true)
})

/** Simulates a lagging replica that shows half of the older rows, until the returned function is called. */
function hideRows({ emulator, time }: Simulation): () => void {
  const lag = time.now()
  return emulator.faults.add({
    name: 'lagging',
    text: 'Half of the older rows are missing.',
    async around(call, operation, next) {
      const answer = await next(call, operation)
      if (operation.name !== 'query-logs' || answer.status !== 200) return answer
      // Safe: the emulator sends a page as bytes.
      const page = JSON.parse(Buffer.from(answer.body as Uint8Array).toString())
      page.data = page.data.filter(
        (row: { timestamp: string; bytesSent: number }) => Date.parse(row.timestamp) > lag || row.bytesSent % 2 > 0,
      )
      page.pagination.returned = page.data.length
      return { ...answer, body: Buffer.from(JSON.stringify(page)) }
    },
  })
}

test('a recheck with fewer rows changes no segment; returning rows are not duplicated', async () => {
  const simulation = await createSimulation({ traffic, plan })
  const { time, zone, events } = simulation
  const start = Math.ceil((time.now() - 3 * hour) / plan.window) * plan.window
  const end = simulation.start()
  await simulation.pass(10 * minute)
  const off = hideRows(simulation)
  await simulation.pass(2 * hour)
  off()
  expect(events.some(({ type }) => type === 'shrunk-read')).toBe(true)
  const rows = simulation.sink.rows()
  await simulation.pass(8 * hour)
  await end()
  expect(simulation.sink.rows()).toBeGreaterThan(rows)
  // Only newer windows: older ones had their last recheck while rows were hidden.
  expect(await simulation.violations(zone, start + 90 * minute, start + 6 * hour)).toEqual([])
})

test('a window whose last recheck is missed after a read with fewer rows is no gap: the sink has all of its rows', async () => {
  const simulation = await createSimulation({ traffic, plan })
  const { time, zone, ledger, events } = simulation
  const start = Math.ceil((time.now() - 3 * hour) / plan.window) * plan.window
  const end = simulation.start()
  await simulation.pass(10 * minute)
  hideRows(simulation)
  await simulation.pass(2 * hour)
  await end()
  expect(events.some(({ type }) => type === 'shrunk-read')).toBe(true)
  const position = await ledger.position(zone)
  await simulation.pass(80 * hour)
  await simulation.run(minute)
  const missed = events.filter((event) => event.type === 'recheck-missed')
  expect(missed.some(({ window }) => window.from >= start)).toBe(true)
  expect(await ledger.gaps(zone)).toEqual([expect.objectContaining({ from: position })])
})

test('a last recheck that only lost races is repeated: rows that only this exporter has seen are exported', async () => {
  const rechecks = [2 * hour]
  const simulation = await createSimulation({ traffic: { zones: 1, rowsPerSecond: 0.01 }, plan: { ...plan, rechecks } })
  const { emulator, time, zone, sink, events } = simulation
  const start = Math.ceil((time.now() - hour) / plan.window) * plan.window
  const late = [1, 2, 3, 4, 5].map((bytesSent) =>
    createRow(start + minute, { bytesSent, visibleFrom: time.now() + 30 * minute }),
  )
  emulator.state.logs.append(late)
  const revisions: number[] = []
  const end = simulation.start({
    sink: {
      ...sink,
      async begin(segment, signal) {
        const { from, revision } = segment
        const writer = await sink.begin(segment, signal)
        if (revision === 0 || from !== start) return writer
        revisions.push(revision)
        const first: Uint8Array[] = []
        return {
          ...writer,
          write(lines) {
            first.push(lines.bytes.subarray(0, lines.bytes.indexOf(10) + 1))
            return writer.write(lines)
          },
          async publish() {
            if (revision > 3) return writer.publish()
            const faster = await sink.begin(segment, signal)
            for (const bytes of first.slice(0, 1)) await faster.write({ bytes, rows: 1, replaced: 0, rejects: [] })
            await faster.publish()
            return writer.publish()
          },
        }
      },
    },
  })
  await simulation.pass(8 * hour)
  await end()
  expect(revisions).toEqual([1, 2, 3, 4])
  expect(events.filter(({ type }) => type === 'conflict')).toHaveLength(3)
  expect(await simulation.violations(zone, start, start + 4 * hour)).toEqual([])
})

test('the age of a read counts from its start: a delay of the sink does not replace a recheck', async () => {
  const simulation = await createSimulation({ traffic, plan })
  const { emulator, time, zone, sink } = simulation
  const start = Math.ceil((time.now() - 3 * hour) / plan.window) * plan.window
  // This row arrives after its window is read, and before the window's last recheck.
  emulator.state.logs.append([createRow(start + minute, { visibleFrom: time.now() + hour })])
  let isDown = true
  const end = simulation.start({
    sink: {
      ...sink,
      async begin(...args) {
        const writer = await sink.begin(...args)
        return {
          ...writer,
          async publish() {
            // The first segment waits until the time of its last recheck has passed.
            if (isDown) await time.sleep(8 * hour)
            isDown = false
            return writer.publish()
          },
        }
      },
    },
  })
  await simulation.pass(16 * hour)
  await end()
  expect(await simulation.violations(zone, start, start + 3 * hour)).toEqual([])
})
