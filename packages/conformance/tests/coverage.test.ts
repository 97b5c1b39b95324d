import { expect, test } from 'vitest'
import { coverageOf } from './campaigns/coverage.ts'

test('a run breaks and meets each constraint of the contract', async () => {
  const { all, broken, met } = await coverageOf(false)
  expect(all.length).toBeGreaterThan(40)
  expect(broken).toEqual(all)
  expect(met).toEqual(all)
}, 120_000)
