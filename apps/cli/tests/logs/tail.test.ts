import { propertyRuns } from '@cdn/kit/testing/property-runs'
import { describe, expect, test } from 'vitest'
import type { TailSource } from '../../src/logs/tail/tail.ts'
import { followZone, type Mistake } from '../support/followed-zone.ts'

describe('a tail of a quarter of an hour prints every row once, with late rows, ties, equal rows, 429s, resets and an outage', () => {
  const variants = [
    [3, { requestIds: 'some shared', pageCap: 1000, emptyPage: 'null', rateWindow: 'fixed' }],
    [2, { requestIds: 'some null', timestampStyle: '+00:00', nullFields: 'null' }],
    [1, {}],
  ] as const
  test.each(variants.slice(0, propertyRuns(1)))('seed %i, %o', async (seed, variants) => {
    const story = { seed, variants, minutes: 15, latenessMs: 300_000, maxLatenessMs: 280_000 }
    const { shown, expected, events, emulator } = await followZone(story)
    expect(expected.length).toBeGreaterThan(1250)
    expect(shown).toEqual(expected)
    expect(events.filter(({ kind }) => kind === 'failure').length).toBeGreaterThan(3)
    expect(events.filter(({ kind }) => kind === 'lost')).toEqual([])
    // The tail causes no 429 itself; the ones that it received were injected.
    expect(emulator.journal.violations.filter(({ name }) => name === 'over-limit')).toEqual([])
  })
})

/** A mistake: limits how far a read goes back before the end of the previous read. */
function readAtMost(overlapMs: number) {
  return ({ read, ...source }: TailSource): TailSource => {
    let previous = Number.NEGATIVE_INFINITY
    return {
      ...source,
      read: (from, to) => {
        const start = Math.min(to, Math.max(from, previous - overlapMs))
        previous = to
        return read(start, to)
      },
    }
  }
}

/** A mistake: a reader that claims to have read everything although it failed. */
function claimAll({ read, ...source }: TailSource): TailSource {
  return {
    ...source,
    read: (from, to) => {
      async function* rows() {
        yield* read(from, to)
      }
      return Object.assign(rows(), { resume: new Date(to).toISOString() })
    },
  }
}

describe('a tail with a wrong part does not', () => {
  // Here the outage lasts longer than the lateness.
  const story = {
    seed: 4,
    variants: { requestIds: 'some shared' },
    minutes: 8,
    latenessMs: 60_000,
    maxLatenessMs: 50_000,
  } as const

  test.each<[string, Mistake]>([
    ['reads that do not overlap', { source: readAtMost(0) }],
    ['reads that overlap by half a minute at most', { source: readAtMost(30_000) }],
    ['a lateness of zero', { latenessMs: 0 }],
    ['a failed read that counts as complete', { source: claimAll }],
  ])('%s', async (_text, mistake) => {
    const { shown, expected } = await followZone(story, mistake)
    expect(shown).not.toEqual(expected)
  })

  test('and the right parts do', async () => {
    const { shown, expected } = await followZone(story)
    expect(shown).toEqual(expected)
  })
})
