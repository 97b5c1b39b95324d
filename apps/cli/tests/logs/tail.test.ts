import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { describe, expect, test } from 'vitest'
import { followZone } from '../support/followed-zone.ts'

describe('a tail of nine minutes prints every row once, with late rows, ties, equal rows, 429s, resets and an outage', () => {
  const variants = [
    [3, { requestIds: 'some shared', pageCap: 1000, emptyPage: 'null', rateWindow: 'fixed' }],
    [2, { requestIds: 'some null', timestampStyle: '+00:00', nullFields: 'null' }],
    [1, {}],
  ] as const
  test.each(variants.slice(0, propertyRuns(1)))('seed %i, %o', async (seed, variants) => {
    const story = { seed, variants, minutes: 9, latenessMs: 120_000, maxLatenessMs: 110_000 }
    const { shown, expected, events, emulator } = await followZone(story)
    expect(expected.length).toBeGreaterThan(750)
    expect(shown).toEqual(expected)
    expect(events.filter(({ kind }) => kind === 'failure').length).toBeGreaterThan(3)
    expect(events.filter(({ kind }) => kind === 'lost')).toEqual([])
    // Every 429 was injected: the tail never exceeds the rate limit.
    expect(emulator.journal.violations.filter(({ name }) => name === 'over-limit')).toEqual([])
  })
})

test('an outage that lasts longer than the lateness loses no row', async () => {
  const variants = { requestIds: 'some shared' } as const
  const { shown, expected } = await followZone({
    seed: 4,
    variants,
    minutes: 8,
    latenessMs: 60_000,
    maxLatenessMs: 50_000,
  })
  expect(shown).toEqual(expected)
})
