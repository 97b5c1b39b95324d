import { expect, test } from 'vitest'
import { coverageOf } from './campaigns/coverage.ts'

test('a run without permission to write breaks and meets each constraint of the reads', async () => {
  const { all, broken, met } = await coverageOf(true)
  expect(all.length).toBeGreaterThan(30)
  expect(broken).toEqual(all)
  expect(met).toEqual(all)
}, 120_000)
