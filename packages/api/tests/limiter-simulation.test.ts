import { mulberry32 } from '@cdn/kit/mulberry32'
import { expect, test } from 'vitest'
import { simulate } from './limiter-simulation.ts'

const minutes = 60_000
const countings = ['fixed', 'sliding', 'bucket'] as const

test.each(countings)('no 429, and the permitted rate is used, if the platform counts by %s', async (counting) => {
  const figures = await simulate({ counting, durationMs: 5 * minutes, slowest: 900, random: mulberry32(7) })
  expect(figures.refused).toBe(0)
  expect(Math.abs(figures.use - 1)).toBeLessThan(0.05) // the first burst is a larger part of five minutes than of an hour
})
