import { expect, test } from 'vitest'
import { rowText } from './log-rows.ts'

test('rows are equal if their stated fields and their times are equal, whatever the notation of the times', () => {
  const row = { timestamp: '2026-06-17T14:30:00.120Z', statusCode: 200, host: null }
  const same = [
    { statusCode: 200, timestamp: '2026-06-17T16:30:00.12+02:00' },
    { ...row, ageMs: 5, seenBy: ['a'] },
  ]
  const other = [
    { ...row, timestamp: '2026-06-17T14:30:00.121Z' },
    { ...row, timestamp: 'never' },
    { ...row, statusCode: 201 },
  ]
  expect(new Set([row, ...same].map(rowText)).size).toBe(1)
  expect(new Set([row, ...other].map(rowText)).size).toBe(4)
})
