import { expect, test } from 'vitest'
import { coverageOf } from '../scripts/coverage.ts'

test.each([true, false])(
  'a run breaks and meets each constraint that it can reach (read-only: %s)',
  async (isReadOnly) => {
    const { all, broken, met } = await coverageOf(isReadOnly)
    expect(all.length).toBeGreaterThan(40)
    expect(broken).toEqual(all)
    expect(met).toEqual(all)
  },
  120_000,
)
