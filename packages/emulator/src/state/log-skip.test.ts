import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { hourMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRow } from '../../tests/support/start.ts'
import type { TrafficPlan } from '../traffic/options.ts'
import { createTraffic } from '../traffic/traffic.ts'
import type { RowSelection, StoredLogRow } from './log-row.ts'
import { createLogStore } from './log-store.ts'

const now = Date.UTC(2026, 5, 17, 14, 30)
const variants = { requestIds: 'unique', storedPrecision: 'millisecond', loneSurrogates: 'replaced' } as const
const quiet: TrafficPlan = { rowsPerSecond: 1, lateShare: 0, maxLatenessMs: 60_000, tieShare: 0.1, hostileShare: 0 }

const plans = fc.record({
  rowsPerSecond: fc.constantFrom(0.05, 0.7, 3),
  lateShare: fc.constantFrom(0, 0.3),
  bursts: fc.option(fc.constant({ rows: 40, everyMs: 700_000 }), { nil: undefined }),
})
const added = fc.array(
  fc.record({
    age: fc.nat(2 * hourMs),
    statusCode: fc.constantFrom(103, 200, 404),
    originShield: fc.boolean(),
    lateness: fc.constantFrom(0, 0, 3 * hourMs),
  }),
  { maxLength: 60 },
)

function selection(withShield: boolean, withInformational: boolean): RowSelection {
  const passes = (row: StoredLogRow) =>
    (row.visibleFrom ?? 0) <= now && (withShield || !row.originShield) && (withInformational || row.statusCode >= 200)
  return { passes, withShield, now }
}

describe('skipping by counts', () => {
  test('leaves the same rows as skipping one by one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          plan: fc.option(plans, { nil: undefined }),
          rows: added,
          order: fc.constantFrom('asc' as const, 'desc' as const),
          count: fc.nat(3000),
          ages: fc.tuple(fc.nat(2 * hourMs), fc.nat(2 * hourMs)),
          withShield: fc.boolean(),
          withInformational: fc.boolean(),
        }),
        async ({ plan, rows, order, count, ages, withShield, withInformational }) => {
          const store = createLogStore(() => now, 72 * hourMs)
          const { bursts, ...rest } = plan ?? { bursts: undefined }
          if (plan)
            store.setTraffic('1', createTraffic(1, '1', { ...quiet, ...rest, ...(bursts && { bursts }) }, variants))
          store.append(
            rows.map(({ age, lateness, ...row }) =>
              createRow({ ...row, timestamp: now - age, visibleFrom: now - age + lateness, pullZoneId: '1' }),
            ),
          )
          const range = store.range('1', now - Math.max(...ages), now - Math.min(...ages))
          const shown = selection(withShield, withInformational)
          const all = [...range.rows(order)].filter(shown.passes)
          const { range: left, left: toSkip } = await range.skip(order, count, shown)
          const skipped = [...left.rows(order)].filter(shown.passes).slice(toSkip)
          expect(skipped.map(({ timestamp, requestId }) => [timestamp, requestId])).toEqual(
            all.slice(count).map(({ timestamp, requestId }) => [timestamp, requestId]),
          )
        },
      ),
      { numRuns: propertyRuns(25) },
    )
  })

  test('does not generate the rows of skipped blocks', async () => {
    const store = createLogStore(() => now, 72 * hourMs)
    const traffic = createTraffic(1, '1', quiet, variants)
    let generatedBlocks = 0
    store.setTraffic('1', {
      ...traffic,
      rowsOf: (block) => {
        generatedBlocks++
        return traffic.rowsOf(block)
      },
    })
    const { left } = await store.range('1', now - 48 * hourMs, now).skip('desc', 150_000, selection(false, false))
    expect(left).toBeLessThan(100)
    expect(generatedBlocks).toBeLessThan(5)
  })
})
