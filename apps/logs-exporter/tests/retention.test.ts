/** The edge of the retention (§8). Ranges that can no longer be read are reported, and no others. */

import type { Fault } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { describe, expect, test } from 'vitest'
import { LedgerError } from '../src/errors.ts'
import { createSimulation, hour, minute, second } from './support/simulation.ts'

const traffic = { zones: 1, rowsPerSecond: 0.01 }

describe('after a downtime', () => {
  test('longer than the retention, the lost range is reported, and all the rest is exported', async () => {
    const simulation = await createSimulation({ traffic, plan: { rechecks: [], margin: 71 * hour } })
    const { time, zone, plan, events } = simulation
    await simulation.run(hour)
    const [before, start] = [await simulation.ledger.position(zone), time.now() - hour]
    await simulation.pass(100 * hour)
    const back = time.now()
    await simulation.run(hour)
    const gaps = await simulation.gaps(zone)
    expect(gaps).toEqual([expect.objectContaining({ zone, from: before })])
    const [gap] = gaps
    const edge = back - plan.retention
    expect(gap?.to).toBeGreaterThanOrEqual(edge)
    expect(gap?.to).toBeLessThan(edge + plan.window + 2 * minute)
    expect(events.filter(({ type }) => type === 'gap')).toHaveLength(1)
    // The test can still query these rows: the store keeps rows for a day past the retention.
    expect(await simulation.violations(zone, Math.max(start, edge - hour), back - hour)).toEqual([])
    expect(simulation.sink.rows()).toBeGreaterThan(2000)
  })

  test('an open gap in any of the windows that wait for their recheck is lost, also if a write of the ledger fails', async () => {
    const simulation = await createSimulation({
      traffic,
      plan: { margin: 62 * hour, rechecks: [10 * minute, 9 * hour] },
    })
    const { zone, ledger, events } = simulation
    await simulation.run(minute)
    const last = assertDefined((await ledger.windows(zone, 0, Number.POSITIVE_INFINITY)).at(-1))
    const gap = { from: last.from + 5, to: last.from + 6, reason: 'broken' }
    await ledger.record({ ...last, rows: undefined, openGaps: [gap] })
    await simulation.pass(5 * 24 * hour)
    let failures = 1
    const record: typeof ledger.record = async (state) => {
      if (state.from === last.from && failures-- > 0) throw new LedgerError('The disk is full.')
      return ledger.record(state)
    }
    events.length = 0
    await simulation.run(hour, { ledger: { ...ledger, record } })
    expect(events.filter((event) => event.type === 'failed')).toHaveLength(1)
    expect(events.filter((event) => event.type === 'gap')).toHaveLength(2)
    expect(await simulation.gaps(zone)).toMatchObject([{ ...gap, zone }, { from: last.to }])
    expect(await ledger.openGaps(zone)).toEqual([])
  })

  test('a platform that keeps more than it promises is read as far back as possible', async () => {
    const simulation = await createSimulation({ traffic, plan: { rechecks: [], margin: 71 * hour } })
    const { emulator, zone, time, plan } = simulation
    const around: Fault['around'] = (call, operation, next) => next(call, { ...operation, retentionMs: 90 * hour })
    emulator.faults.add({ name: 'generous', text: 'Logs are kept for 90 hours.', around })
    await simulation.run(hour)
    const start = Math.ceil((time.now() - 2 * hour) / plan.window) * plan.window
    await simulation.pass(80 * hour)
    await simulation.run(hour)
    expect(await simulation.gaps(zone)).toEqual([])
    expect(await simulation.violations(zone, start, start + 80 * hour)).toEqual([])
  })

  test('with open windows past their deadline, those are read first, and rechecks wait', async () => {
    const rechecks = [4 * hour, 68 * hour]
    const simulation = await createSimulation({ traffic, latency: 30 * second, plan: { rechecks, margin: 70 * hour } })
    const { emulator, zone, plan, events } = simulation
    await simulation.run(2 * hour)
    await simulation.pass(71 * hour)
    const late = { ...plan, margin: 2 * hour }
    events.length = 0
    const requests = emulator.journal.entries.length
    const again = simulation.start({ plan: late })
    await simulation.pass(2 * minute - second) // a minute for synchronizing the clock
    // Windows that can no longer be rechecked are reported without a request.
    const types = events.map(({ type }) => type)
    expect(types.length).toBeGreaterThan(2)
    expect(new Set(types.slice(0, -1))).toEqual(new Set(['begun', 'recheck-missed']))
    expect(emulator.journal.entries).toHaveLength(requests + 2)
    await simulation.pass(2 * hour)
    await again()
    const firstRecheck = events.findIndex(({ type }) => type === 'recheck')
    expect(firstRecheck).toBeGreaterThan(0)
    const lags = events.slice(0, firstRecheck).filter((event) => event.type === 'position')
    expect(lags[0]?.lag).toBeGreaterThan(late.retention - late.margin)
    expect(lags.at(-1)?.lag).toBeLessThan(late.retention - late.margin)
    expect(await simulation.gaps(zone)).toEqual([])
  })

  test('a range read that the end of the retention overtakes keeps its rows, and reports the rest', {
    timeout: 60_000,
  }, async () => {
    const simulation = await createSimulation({
      // Three requests at a time, of two minutes each, together cover less than two minutes of logs.
      traffic: { zones: 1, rowsPerSecond: 40 },
      variants: { pageCap: 1000 },
      latency: minute,
      plan: { rechecks: [], margin: 2 * minute },
    })
    const { zone, time, plan, events } = simulation
    const start = Math.ceil((time.now() - plan.retention + plan.margin) / plan.window) * plan.window
    const end = simulation.start()
    // Two windows. Each ends in a gap only after a request for its next millisecond alone, and each request takes two minutes.
    await simulation.pass(25 * minute)
    await end()
    const position = assertDefined(await simulation.ledger.position(zone))
    const gaps = events.filter((event) => event.type === 'gap')
    expect(gaps.length).toBeGreaterThan(1)
    expect(gaps.some(({ gap }) => gap.from % plan.window > 0)).toBe(true)
    expect(await simulation.violations(zone, start, position)).toEqual([])
  })

  test('a part that was published before the ledger failed is recorded', async () => {
    const simulation = await createSimulation({
      traffic: { zones: 1, rowsPerSecond: 40 },
      variants: { pageCap: 1000 },
      latency: minute,
      plan: { rechecks: [], margin: 2 * minute },
    })
    const { zone, ledger, sink } = simulation
    let [isPart, failures] = [false, 1]
    const failing: typeof ledger = {
      ...ledger,
      async recordGap(gap) {
        await ledger.recordGap(gap)
        isPart = true
      },
      async record(state) {
        if (isPart && failures-- > 0) throw new LedgerError('The disk is full.')
        return ledger.record(state)
      },
    }
    await simulation.run(25 * minute, { ledger: failing })
    expect(failures).toBeLessThan(1)
    const known = await ledger.windows(zone, 0, Number.POSITIVE_INFINITY)
    const ofSink = sink.exported(zone).map(({ from }) => from)
    expect(known.map(({ from }) => from)).toEqual(ofSink)
  })
})

test('a 400 with another cause than the retention is a failure, and loses no row', async () => {
  const simulation = await createSimulation({ traffic, plan: { rechecks: [], margin: 71 * hour } })
  const { emulator, zone, time, events, plan } = simulation
  const around: Fault['around'] = async (call, operation, next) => {
    const answer = await next(call, operation)
    return operation.name === 'query-logs' ? { ...answer, status: 400, body: '{}' } : answer
  }
  const works = emulator.faults.add({ name: 'picky', text: 'Version 2 refuses everything.', around })
  const start = Math.ceil((time.now() - hour) / plan.window) * plan.window
  const end = simulation.start()
  await simulation.pass(30 * second)
  works()
  await simulation.pass(2 * hour)
  await end()
  expect(events.filter(({ type }) => type === 'failed').length).toBeGreaterThan(0)
  expect(await simulation.gaps(zone)).toEqual([])
  expect(await simulation.violations(zone, start, start + 2 * hour)).toEqual([])
})
