import { describe, expect, test } from 'vitest'
import * as right from '../../src/logs/tail/tail.ts'
import { followZone, type TailModule } from './followed-zone.ts'
import { loadMutant } from './mutant.ts'

describe('a tail of half an hour shows every row once, with late rows, ties, twins, 429s, resets and an outage', () => {
  test.each([
    [1, {}],
    [2, { requestIds: 'some null', timestampStyle: '+00:00', nullFields: 'null' }],
    [3, { requestIds: 'some shared', pageCap: 1000, emptyPage: 'null', rateWindow: 'fixed' }],
  ] as const)('seed %i, %o', async (seed, variants) => {
    const story = { seed, variants, minutes: 30, latenessMs: 300_000, maxLatenessMs: 280_000 }
    const { shown, expected, events, emulator } = await followZone(right, story)
    expect(expected.length).toBeGreaterThan(2500)
    expect(shown).toEqual(expected)
    expect(events.filter(({ kind }) => kind === 'trouble').length).toBeGreaterThan(3)
    expect(events.filter(({ kind }) => kind === 'lost' || kind === 'narrowed')).toEqual([])
    // The tail earns no 429 of its own: those that it met were made up.
    expect(emulator.journal.verdicts.filter(({ name }) => name === 'over-limit')).toEqual([])
  })
})

/** Name, file, what stands in it, and what a mistake would put in its place. */
const mistakes = [
  ['no overlap', 'tail/tail.ts', 'isWide ? settled : Math.max(settled, reached - overlapMs)', 'reached'],
  ['never far back', 'tail/tail.ts', 'begun >= wideDue', 'wideDue === Number.NEGATIVE_INFINITY'],
  ['settles at once', 'tail/tail.ts', 'Math.min(time, seenUntil(begun) - latenessMs))', 'time)'],
  ['a failed look counts as done', 'tail/tail.ts', 'failure ? Date.parse(reader.resume) : to', 'to'],
  ['a failed look settles what an earlier one has read', 'tail/tail.ts', 'settle(position)', 'settle(memory.reached)'],
  [
    'rows are told apart by id',
    'tail/seen.ts',
    'const digest = rowDigest(row)',
    'const digest = String(row.requestId)',
  ],
  ['a set, no multiset', 'tail/seen.ts', 'if (count <= (shown.get(digest) ?? 0))', 'if (shown.has(digest))'],
  ['nothing is remembered', 'tail/seen.ts', 'if (count <= (shown.get(digest) ?? 0)) return false', ''],
] as const

describe('a tail with a mistake does not', () => {
  // The outage lasts longer than the lateness here.
  const story = {
    seed: 4,
    variants: { requestIds: 'some shared' },
    minutes: 8,
    latenessMs: 60_000,
    maxLatenessMs: 50_000,
  } as const

  test.each(mistakes)('%s', async (_text, file, from, to) => {
    const mutant = await loadMutant<TailModule>('tail/tail.ts', { file, from, to })
    const { shown, expected } = await followZone(mutant, story)
    expect(shown).not.toEqual(expected)
  })

  test('and the same story is told well by the right one', async () => {
    const { shown, expected } = await followZone(right, story)
    expect(shown).toEqual(expected)
  })
})
