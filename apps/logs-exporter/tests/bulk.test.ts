/** Version 1 is read in bulk if version 2 fails or is too slow for the deadline. */
import { describe, expect, test } from 'vitest'
import { createSimulation, hour, minute } from './support/simulation.ts'

const window = 15 * minute
const plan = { margin: 70 * hour, rechecks: [10 * minute, 2 * hour], window }
/** First window of a zone whose first request, at `now`, fails and is retried. Planning then begins some seconds later. */
const firstWindow = (now: number) => Math.ceil((now + minute - 2 * hour) / window) * window
const traffic = { zones: 1, rowsPerSecond: 0.05, lateShare: 0.2, maxLatenessMs: 2 * hour, hostileShare: 0.3 }

describe('version 1 is read', () => {
  test('while version 2 fails, also from the growing file of the current day; version 2 then adds late rows', async () => {
    const simulation = await createSimulation({ traffic, plan, variants: { fileShield: 'left out' } })
    const { emulator, time, zones, sink, events } = simulation
    const [zone] = zones
    const start = firstWindow(time.now())
    const works = emulator.faults.add({ name: 'internal-error', operation: 'query-logs' })
    const end = simulation.start()
    await simulation.pass(1.5 * hour)
    expect(events.filter(({ type }) => type === 'bulk').length).toBeGreaterThan(1)
    expect(events.filter((event) => event.type === 'window' && event.source === 'v2')).toEqual([])
    works()
    await simulation.pass(4 * hour)
    await end()
    expect(await simulation.violations(zone, start, start + 5 * hour)).toEqual([])
    const sources = sink.exported(zone).map(({ revision, lines }) => `${revision > 0} ${lines[0]?.slice(-5, -2)}`)
    expect(new Set(sources)).toEqual(new Set(['false "v1', 'true "v2', 'false "v2'].map((text) => text)))
  })

  test('including edge-to-shield requests, which do not count as a shrunk read later', async () => {
    const quiet = { ...traffic, lateShare: 0 }
    const simulation = await createSimulation({ traffic: quiet, plan, variants: { fileShield: 'included' } })
    const { emulator, time, zones, events } = simulation
    const [zone] = zones
    const start = firstWindow(time.now())
    const works = emulator.faults.add({ name: 'internal-error', operation: 'query-logs' })
    const end = simulation.start()
    await simulation.pass(hour)
    works()
    await simulation.pass(6 * hour)
    await end()
    expect(await simulation.violations(zone, start, start + 4 * hour, { v1HasShield: true })).toEqual([])
    expect(events.filter(({ type }) => type === 'shrunk-read' || type === 'revision')).toEqual([])
  })

  test('if version 2 covers less than an hour of logs per hour, and the deadline is near', async () => {
    const latency = (request: Request) => (request.url.includes('/v2/') ? 15 * minute : 0)
    const simulation = await createSimulation({ traffic, plan, latency, variants: { fileShield: 'left out' } })
    const { time, zones, events } = simulation
    const [zone] = zones
    // The clock is synchronized with a request, which takes half an hour here.
    const start = Math.ceil((time.now() - 1.5 * hour) / window) * window
    const end = simulation.start()
    await simulation.pass(4 * hour)
    await end()
    expect(events).toContainEqual(expect.objectContaining({ type: 'bulk', zone, reason: 'deadline' }))
    const windows = events.filter((event) => event.type === 'window')
    expect(windows.some(({ source }) => source === 'v1')).toBe(true)
    expect(windows.map((event) => event.window.from)).toEqual(windows.map((_, index) => start + index * window))
  })

  test('followed by one more recheck with version 2, even after the last regular one: its empty file may have been a failure', async () => {
    const simulation = await createSimulation({
      traffic: { ...traffic, lateShare: 0 },
      plan: { ...plan, rechecks: [] },
    })
    const { emulator, time, zones, events } = simulation
    const [zone] = zones
    const start = firstWindow(time.now())
    const works = emulator.faults.add({ name: 'internal-error', operation: 'query-logs' })
    emulator.faults.add({ name: 'empty-body', operation: 'read-log-file', times: 2 })
    const end = simulation.start()
    await simulation.pass(0.5 * hour)
    works()
    await simulation.pass(hour)
    await end()
    const read = events.filter((event) => event.type === 'window' && event.source === 'v1')
    expect(read).toContainEqual(expect.objectContaining({ segment: undefined }))
    expect(await simulation.violations(zone, start, start + 2 * hour)).toEqual([])
  })

  test('but not if the credential or the zone is refused', async () => {
    const simulation = await createSimulation({ traffic, plan })
    const { emulator, events } = simulation
    for (const zone of emulator.state.zones.values()) zone.status = 'suspended'
    const end = simulation.start()
    await simulation.pass(hour)
    await end()
    const failures = events.filter((event) => event.type === 'failed')
    expect(failures.at(-1)).toMatchObject({ error: { status: 403 }, failures: expect.any(Number) })
    expect(events.filter(({ type }) => type === 'bulk' || type === 'window')).toEqual([])
  })
})
