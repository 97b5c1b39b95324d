import { describe, expect, test } from 'vitest'
import { tail } from '../../src/logs/tail/tail.ts'
import { followZone } from './followed-zone.ts'
import { loadMutant, type Mutation } from './mutant.ts'

const story = { minutes: 30, latenessMs: 300_000, maxLatenessMs: 280_000 }

describe('a tail of half an hour shows every row once, with late rows, ties, twins, 429s, resets and an outage', () => {
  test.each([
    [1, {}],
    [2, { requestIds: 'some null', timestampStyle: '+00:00', nullFields: 'null' }],
    [3, { requestIds: 'some shared', pageCap: 1000, emptyPage: 'null', rateWindow: 'fixed' }],
  ] as const)('seed %i, %o', async (seed, variants) => {
    const { shown, expected, events, emulator } = await followZone(tail, { ...story, seed, variants })
    expect(expected.length).toBeGreaterThan(3000)
    expect(shown).toEqual(expected)
    expect(events.filter(({ kind }) => kind === 'trouble').length).toBeGreaterThan(3)
    expect(events.filter(({ kind }) => kind === 'lost' || kind === 'narrowed')).toEqual([])
    // The tail earns no 429 of its own: those that it met were made up.
    expect(emulator.journal.verdicts.filter(({ name }) => name === 'over-limit')).toEqual([])
  })
})

describe('a tail with a mistake does not', () => {
  // The outage lasts longer than the lateness here.
  const short = {
    minutes: 8,
    latenessMs: 60_000,
    maxLatenessMs: 50_000,
    seed: 4,
    variants: { requestIds: 'some shared' },
  } as const
  test.each<[string, Mutation]>([
    [
      'no overlap',
      { file: 'tail/tail.ts', from: 'isWide ? settled : Math.max(settled, reached - overlapMs)', to: 'reached' },
    ],
    [
      'never far back',
      {
        file: 'tail/tail.ts',
        from: 'const isWide = begun >= wideDue',
        to: 'const isWide = wideDue === Number.NEGATIVE_INFINITY',
      },
    ],
    ['settles at once', { file: 'tail/tail.ts', from: 'Math.min(time, begun - latenessMs))', to: 'time)' }],
    [
      'a failed look counts as done',
      { file: 'tail/tail.ts', from: 'reached, failure ? Date.parse(reader.resume) : to)', to: 'reached, to)' },
    ],
    [
      'rows are told apart by id',
      { file: 'tail/seen.ts', from: 'const digest = rowDigest(row)', to: 'const digest = String(row.requestId)' },
    ],
    [
      'a set instead of a multiset',
      { file: 'tail/seen.ts', from: 'if (count <= (shown.get(digest) ?? 0))', to: 'if (shown.has(digest))' },
    ],
    [
      'nothing is remembered',
      { file: 'tail/seen.ts', from: 'if (count <= (shown.get(digest) ?? 0)) return false', to: '' },
    ],
  ])('%s', async (_text, mutation) => {
    const mutant = await loadMutant<{ tail: typeof tail }>('tail/tail.ts', mutation)
    const { shown, expected } = await followZone(mutant.tail, short)
    expect(shown).not.toEqual(expected)
  })

  test('and the same story is told well by the right one', async () => {
    const { shown, expected } = await followZone(tail, short)
    expect(shown).toEqual(expected)
  })
})
