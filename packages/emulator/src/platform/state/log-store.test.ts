import { assertDefined } from '@cdn/kit/assert-defined'
import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { dayMs, hourMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRow } from '../../../tests/support/start.ts'
import type { TrafficPlan } from '../traffic/options.ts'
import { createTraffic } from '../traffic/traffic.ts'
import type { StoredLogRow } from './log-row.ts'
import { createLogStore } from './log-store.ts'

const now = Date.UTC(2026, 5, 17, 14, 30)
const retention = 3 * dayMs

const plan: TrafficPlan = {
  rowsPerSecond: 0.02,
  lateShare: 0.2,
  maxLatenessMs: 90_000,
  tieShare: 0.3,
  hostileShare: 0.5,
}
const traffic = createTraffic(7, '1', plan, {
  requestIds: 'unique',
  storedPrecision: 'millisecond',
  loneSurrogates: 'replaced',
  controlCharacters: 'raw',
})
const busy = createLogStore(() => now, retention)
busy.setTraffic('1', traffic)

/** Offsets of edge cases within the last hour: boundaries of minutes, and times with traffic. */
const edgeOffsets = [0, 59_999, 60_000, 1_800_000, 3_599_999].concat(
  busy.rows('1', now - hourMs, now - 3_000_000).map(({ timestamp }) => timestamp - now + hourMs),
)
const bound = fc.oneof(fc.nat(hourMs), fc.constantFrom(...edgeOffsets))

/** Batches of row times within an hour, in any order. Many rows share a millisecond. */
const batches = fc.array(
  fc.array(fc.oneof(fc.integer({ min: 0, max: hourMs }), fc.constantFrom(...edgeOffsets)), {
    maxLength: 300,
  }),
  { maxLength: 12 },
)

/** Returns a text per row that differs between rows. Comparing all fields of all rows would take most of the time. */
function keysOf(rows: readonly StoredLogRow[]): string[] {
  return rows.map(({ timestamp, bytesSent, requestId, host }) => [timestamp, bytesSent, requestId, host].join())
}

const row = createRow({ timestamp: now, pullZoneId: '1' })

function toRows(offsets: readonly number[], batch: number): StoredLogRow[] {
  return offsets.map((offset, index) => ({
    ...row,
    timestamp: now - hourMs + offset,
    bytesSent: batch * 1000 + index,
    requestId: index % 3 === 0 ? null : index.toString(16).padStart(32, '0'),
  }))
}

describe('the store', () => {
  test('returns the appended rows by time, then by the order in which they were appended', () => {
    fc.assert(
      fc.property(batches, bound, bound, fc.boolean(), (offsets, a, b, withTraffic) => {
        const store = createLogStore(() => now, retention)
        if (withTraffic) store.setTraffic('1', traffic)
        const rows = offsets.map(toRows)
        for (const batch of rows) store.append(batch)
        const [from, to] = [now - hourMs + Math.min(a, b), now - hourMs + Math.max(a, b)]
        const generated = withTraffic ? store.rows('1', from, to).filter(({ host }) => host !== 'cdn.example') : []
        const expected = [...generated, ...rows.flat()]
          .filter(({ timestamp }) => timestamp >= from && timestamp < to)
          .map((row, index) => ({ row, index }))
          .sort((x, y) => x.row.timestamp - y.row.timestamp || x.index - y.index)
          .map(({ row }) => row)
        expect(keysOf([...store.range('1', from, to, 'asc')].flat())).toEqual(keysOf(expected))
        expect(keysOf([...store.range('1', from, to, 'desc')].flat())).toEqual(keysOf(expected.toReversed()))
        expect(keysOf(store.rows('1', from, to))).toEqual(keysOf(expected))
        expect(store.count('1')).toBe(store.rows('1').length)
      }),
      { numRuns: propertyRuns(60) },
    )
  }, 300_000)

  test('removes rows a day after the retention', () => {
    let time = now
    const store = createLogStore(() => time, retention)
    store.append(
      [now - retention - dayMs - 60_000, now - retention, now].map((timestamp) =>
        createRow({ timestamp, pullZoneId: '1' }),
      ),
    )
    store.setTraffic('2', traffic)
    time += 60_000
    expect(store.rows('1').map(({ timestamp }) => timestamp)).toEqual([now - retention, now])
    const oldest = () => assertDefined([...store.range('2', 0, time, 'asc')].flat()[0]).timestamp
    expect(oldest()).toBeGreaterThanOrEqual(time - retention - dayMs)
    for (let days = 0; days < 5; days++) {
      time += dayMs
      store.append([createRow({ timestamp: time, pullZoneId: '1' })])
    }
    expect(store.rows('1').map(({ timestamp }) => timestamp)).toEqual(
      [1, 2, 3, 4, 5].map((d) => now + 60_000 + d * dayMs),
    )
    expect(store.count('1')).toBe(5)
    expect(oldest()).toBeGreaterThanOrEqual(time - retention - dayMs)
    time += 10 * dayMs
    expect(store.count('1')).toBe(0)
  })

  test('returns no traffic of the future', () => {
    let time = now
    const store = createLogStore(() => time, retention)
    store.setTraffic('1', traffic)
    const newest = () => assertDefined([...store.range('1', now - dayMs, now + dayMs, 'desc')].flat()[0]).timestamp
    expect(newest()).toBeLessThanOrEqual(now)
    time += 600_000
    expect(newest()).toBeGreaterThan(now + 500_000)
    expect(store.rows('1').at(-1)?.timestamp).toBe(newest())
  })
})
