import { afterEach, expect, test, vi } from 'vitest'
import { elapsed } from './elapsed.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const hour = 3_600_000

/** Sets the wall clock of the machine so far ahead, or back. */
function setWallClock(byMs: number): void {
  const time = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(time + byMs)
}

test('a wall clock that is set back changes nothing: no lease seems longer', () => {
  const before = elapsed()
  setWallClock(-hour)
  const after = elapsed()
  expect(after).toBeGreaterThanOrEqual(before)
  expect(after - before).toBeLessThan(hour / 2)
  vi.restoreAllMocks()
  // Set right again it looks like a leap ahead, which ends leases early at worst.
  expect(elapsed()).toBeGreaterThanOrEqual(after)
})

test('a leap ahead counts: the machine may have slept', () => {
  const before = elapsed()
  setWallClock(hour)
  expect(elapsed() - before).toBeGreaterThan(hour - 1_000)
})
