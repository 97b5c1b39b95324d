/** Answers that cannot be read: they cost the rows that spoil them, and no other row. `campaigns/unreadable.ts` has all kinds and pairs. */
import { expect, test } from 'vitest'
import { brokenMinute, exportSpoilt } from './support/spoilt-logs.ts'

test.each<[kinds: readonly string[], mode: 'run' | 'backfill']>([
  [['a raw escape character'], 'run'],
  [['status 500', 'cut inside a character'], 'backfill'],
  [['a raw escape character', 'bytes that are not UTF-8'], 'backfill'],
  [[brokenMinute], 'backfill'],
])('answers with %j cost only the rows that spoil them (%s)', async (kinds, mode) => {
  const { rows, stored, lost, gone, doubled, nextWindowS } = await exportSpoilt(kinds, mode)
  expect({ lost, gone, doubled, away: rows - stored }).toEqual({
    lost: 0,
    gone: 0,
    doubled: 0,
    away: kinds.filter((kind) => !kind.startsWith('bytes')).length,
  })
  expect(nextWindowS).toBeLessThan(600)
})

test('bytes that are not UTF-8 are counted', async () => {
  const result = await exportSpoilt(['bytes that are not UTF-8'], 'backfill')
  expect(result).toMatchObject({ rows: 120, stored: 120, replaced: 1 })
})

test('an open gap is read again, also before its deadline, and is lost only after it', async () => {
  const mended = await exportSpoilt(['status 500'], 'run', 8, 2)
  expect(mended).toMatchObject({ stored: 120, open: 0, gone: 0, lost: 0, doubled: 0 })
  const late = await exportSpoilt(['status 500'], 'run', 70)
  expect(late).toMatchObject({ stored: 119, open: 0, gone: 1, lost: 0, doubled: 0 })
})

test('an outage at each recheck leaves an open gap as it is', async () => {
  const during = await exportSpoilt(['status 500'], 'run', 2.5, undefined, 1)
  expect(during).toMatchObject({ stored: 119, open: 1, gone: 0, lost: 0 })
})
