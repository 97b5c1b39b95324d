import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { LedgerError } from '../errors.ts'
import { createLedger, withinTime } from './ledger.ts'

test('the ledger records nothing beyond the latest time shown by the platform', async () => {
  let shown = Number.NEGATIVE_INFINITY
  const ledger = withinTime(createLedger(new DatabaseSync(':memory:')), { shownTime: () => shown })
  const window = {
    zone: '1',
    from: 0,
    to: 100,
    rows: 0,
    nextRevision: 0,
    checkedAt: 0,
    recheckDue: undefined,
  } as const
  const changes = [
    () => ledger.begin('1', 100),
    () => ledger.record(window),
    () => ledger.recordGap({ zone: '1', from: 0, to: 100, reason: 'late', noticedAt: 0 }),
  ]
  for (const time of [Number.NEGATIVE_INFINITY, 99]) {
    shown = time
    for (const change of changes) await expect(change()).rejects.toThrow(LedgerError)
  }
  expect([await ledger.position('1'), await ledger.windows('1', 0, 1000), await ledger.gaps('1')]).toEqual([
    undefined,
    [],
    [],
  ])
  shown = 100
  for (const change of changes) await change()
  expect(await ledger.position('1')).toBe(100)
})
