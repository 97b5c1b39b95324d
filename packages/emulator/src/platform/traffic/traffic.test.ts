import { propertyRuns } from '@cdn/kit/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { start, unlimited } from '../../../tests/support/start.ts'
import { readTrafficOptions, type TrafficOptions, type TrafficPlan } from './options.ts'
import { hostileTexts, longPath } from './texts.ts'
import { createTraffic } from './traffic.ts'

const quiet: TrafficPlan = { rowsPerSecond: 10, lateShare: 0, maxLatenessMs: 1, tieShare: 0, hostileShare: 0 }
const variants = {
  requestIds: 'unique',
  storedPrecision: 'millisecond',
  loneSurrogates: 'replaced',
  controlCharacters: 'raw',
} as const
const minute = 60_000
const hour = 60 * minute
const now = Date.UTC(2026, 5, 17, 14, 30)

const make = (plan: Partial<TrafficPlan>, other: Partial<Parameters<typeof createTraffic>[3]> = {}, zone = '1') =>
  createTraffic(1, zone, { ...quiet, ...plan }, { ...variants, ...other })

function rowsOf(traffic: ReturnType<typeof make>, from: number, to: number) {
  const { blockMs } = traffic
  const blocks = Array.from({ length: Math.ceil((to - from) / blockMs) + 1 }, (_, index) =>
    traffic.rowsOf(Math.floor(from / blockMs) + index),
  )
  return blocks.flat().filter(({ timestamp }) => timestamp >= from && timestamp < to)
}

describe('traffic', () => {
  test('depends only on seed, zone and block', () => {
    const [one, same] = [make({ hostileShare: 0.3 }), make({ hostileShare: 0.3 })]
    const later = one.rowsOf(29_000_001)
    const block = one.rowsOf(29_000_000)
    expect(same.rowsOf(29_000_000)).toEqual(block)
    expect(same.rowsOf(29_000_001)).toEqual(later)
    expect(make({ hostileShare: 0.3 }, {}, '2').rowsOf(29_000_000)).not.toEqual(block)
    expect(createTraffic(2, '1', { ...quiet, hostileShare: 0.3 }, variants).rowsOf(29_000_000)).not.toEqual(block)
  })

  test('matches any rate, in order and within its blocks', () => {
    const rates = fc.double({ min: 0.001, max: 5_000, noNaN: true })
    fc.assert(
      fc.property(
        rates,
        fc.constantFrom('millisecond', 'microsecond'),
        fc.nat(1000),
        (rowsPerSecond, storedPrecision, at) => {
          const traffic = make({ rowsPerSecond, tieShare: 0.2 }, { storedPrecision })
          const span = 3 * Math.max(traffic.blockMs, 1000 / rowsPerSecond)
          const from = now + at
          const rows = rowsOf(traffic, from, from + span)
          const times = rows.map(({ timestamp }) => timestamp)
          expect(times).toEqual(times.toSorted((a, b) => a - b))
          expect(traffic.count(from, from + span)).toBe(rows.length)
          const block = Math.floor(from / traffic.blockMs)
          for (const { timestamp } of traffic.rowsOf(block)) expect(Math.floor(timestamp / traffic.blockMs)).toBe(block)
        },
      ),
      { numRuns: propertyRuns(30) },
    )
    expect(rowsOf(make({}), now, now + hour)).toHaveLength(36_000)
    expect(rowsOf(make({ rowsPerSecond: 0.01 }), now, now + 24 * hour)).toHaveLength(864)
    expect(rowsOf(make({ rowsPerSecond: 50_000 }), now, now + 100)).toHaveLength(5_000)
  })

  test('has the requested share and lateness of late rows', () => {
    const rows = rowsOf(make({ lateShare: 0.25, maxLatenessMs: 5_000 }), now, now + hour)
    const lateness = rows.map(({ timestamp, visibleFrom = 0 }) => visibleFrom - timestamp)
    const late = lateness.filter((ms) => ms > 0)
    expect(late.length / rows.length).toBeCloseTo(0.25, 1)
    expect([Math.min(...late) >= 1, Math.max(...late) <= 5_000, Math.max(...late) > 4_900]).toEqual([true, true, true])
    expect(Math.max(...rowsOf(make({}), now, now + hour).map((row) => (row.visibleFrom ?? 0) - row.timestamp))).toBe(0)
  })

  test('has the requested share of ties', () => {
    const rows = rowsOf(make({ tieShare: 0.5 }), now, now + hour)
    const ties = rows.filter((row, index) => row.timestamp === rows[index - 1]?.timestamp)
    expect(ties.length / rows.length).toBeGreaterThan(0.45)
  })

  test.each(['unique', 'some null', 'some shared'] as const)(
    'has bursts of more than a page without equal rows, with ids %s',
    (requestIds) => {
      const traffic = make({ rowsPerSecond: 0.1, bursts: { rows: 10_500, everyMs: hour } }, { requestIds })
      const burst = rowsOf(traffic, now - (now % hour), now - (now % hour) + 1)
      expect(burst.length).toBeGreaterThanOrEqual(10_500)
      expect(new Set(burst.map(({ requestId: _id, ...row }) => JSON.stringify(row))).size).toBe(burst.length)
      expect(new Set(burst.map(({ requestId }) => requestId)).size === burst.length).toBe(requestIds === 'unique')
      expect(new Set(burst.map(({ bodyBytesSent }) => bodyBytesSent)).size).toBe(burst.length)
      expect(traffic.count(now, now + 2 * hour)).toBe(rowsOf(traffic, now, now + 2 * hour).length)
    },
  )

  test('has unique ids over zones and blocks', () => {
    const ids = ['1', '2'].flatMap((zone) =>
      rowsOf(make({ rowsPerSecond: 1 }, {}, zone), now, now + 3 * hour).map((row) => row.requestId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(ids.map((id) => id?.slice(0, 16))).size).toBeGreaterThanOrEqual(2 * 180)
    expect(ids.every((id) => /^[\da-f]{32}$/.test(String(id)))).toBe(true)
  })

  test('has every hostile text, and an address of 8 kB', () => {
    const rows = rowsOf(make({ hostileShare: 0.5 }, { loneSurrogates: 'raw' }), now, now + hour)
    const agents = new Set(rows.map(({ userAgent }) => userAgent))
    for (const text of hostileTexts) expect(agents).toContain(text)
    const shown = new Set(rowsOf(make({ hostileShare: 0.5 }), now, now + hour).map(({ userAgent }) => userAgent))
    for (const text of hostileTexts) expect(shown).toContain(text.toWellFormed())
    expect(rows.some(({ path }) => path === longPath)).toBe(true)
    expect(rowsOf(make({}), now, now + hour).some(({ userAgent }) => userAgent === hostileTexts[0])).toBe(false)
  })
})

describe('an emulator with traffic', () => {
  test('adds the zones, and continues with the clock', async () => {
    const { emulator, ask } = await start({ traffic: { zones: 2, rowsPerSecond: 5, lateShare: 0.5 } })
    emulator.faults.add(unlimited)
    const { clock, state } = emulator
    const from = clock.now()
    clock.advance(10 * minute)
    const to = clock.now()
    for (const zone of ['10001', '10002']) {
      const query = new URLSearchParams({
        from: from.toISOString(),
        to: to.toISOString(),
        limit: '10000',
        includeOriginShield: 'true',
      })
      const read = async () => (await (await ask.logging(`v2/pullzones/${zone}/logs?${query}`)).json()).data.length
      const rows = state.logs.rows(zone, from.getTime(), to.getTime())
      expect(rows).toHaveLength(3_000)
      const visible = rows.filter((row) => (row.visibleFrom ?? 0) <= clock.now().getTime())
      expect(visible.length).toBeLessThan(rows.length)
      expect(await read()).toBe(visible.length)
    }
    clock.advance(minute)
    const later = await ask.logging(
      `v2/pullzones/10001/logs?from=${from.toISOString()}&to=${to.toISOString()}&limit=10000&includeOriginShield=true`,
    )
    expect((await later.json()).data).toHaveLength(3_000)
  })

  test('can add traffic later, to existing and new zones', async () => {
    const { emulator } = await start()
    expect(emulator.state.addTraffic({ zones: ['2002', '77', '77'], rowsPerSecond: 0.1 })).toEqual(['2002', '77'])
    expect(emulator.state.zones.keys().filter((id) => id === '77')).toHaveLength(1)
    expect(emulator.state.zones.get('77')?.logging).toBe('enabled')
    expect(emulator.state.logs.count('2002')).toBeGreaterThan(emulator.state.logs.count('77'))
    expect(emulator.state.logs.count('77')).toBe(34_560)
  })

  test('accepts traffic over HTTP, and returns rows of a time range', async () => {
    const { emulator } = await start()
    const listening = await emulator.listen()
    const at = (path: string) => new URL(`_emulator/${path}`, listening.managementUrl)
    const post = async (body: unknown) => {
      const response = await fetch(at('traffic'), { method: 'POST', body: JSON.stringify(body) })
      return [response.status, await response.json()]
    }
    expect(await post({ zones: 2, rowsPerSecond: 1 })).toEqual([200, { zones: ['10001', '10002'] }])
    expect(await post({ zones: 2 })).toEqual([400, { message: expect.stringContaining('traffic.rowsPerSecond') }])
    expect(await post(null)).toEqual([400, { message: 'traffic must be an object, not null' }])
    const to = emulator.clock.now().getTime()
    const response = await fetch(at(`log-rows?zone=10001&from=${to - minute}&to=${to}`))
    expect((await response.json()).rows).toHaveLength(60)
    await listening.close()
  })

  const zones = 'traffic.zones must be an integer from 1 to 100000, or a list, each text that matches ^\\d{1,19}$'
  test.each([
    [{ zones: 0 }, `${zones}, not 0`],
    [{ zones: ['x'] }, 'traffic.zones[0] must be text that matches ^\\d{1,19}$, not "x"'],
    [{ zones: undefined }, 'traffic.zones is missing'],
    [{ rowsPerSecond: 0 }, 'traffic.rowsPerSecond must be a number above 0 to 10000000, not 0'],
    [{ rate: 1 }, expect.stringContaining('traffic has an unknown key "rate": expected one of zones, ')],
    [
      { bursts: { rows: 1, everyMs: 0 } },
      'traffic.bursts.everyMs must be an integer from 1 to 9007199254740991, not 0',
    ],
  ])('refuses %o', (wrong, message) => {
    // Callers without types can pass anything.
    const read = () => readTrafficOptions({ zones: 1, rowsPerSecond: 1, ...wrong } as TrafficOptions)
    expect(read).toThrow(RangeError)
    expect(read).toThrow(expect.objectContaining({ message }))
  })
})
