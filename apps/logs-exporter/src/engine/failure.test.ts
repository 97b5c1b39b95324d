import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import { zonePause } from './failure.ts'

test.each([
  ['a refusal', new ApiError(new Response(null, { status: 403 }), ''), [10, 30, 60, 300, 300]],
  ['another failure', new Error('the disk is full'), [5, 10, 20, 40, 60]],
])('the pauses after %s grow', (_, error, seconds) => {
  expect(seconds.map((_, n) => zonePause(n + 1, error) / 1000)).toEqual(seconds)
})
