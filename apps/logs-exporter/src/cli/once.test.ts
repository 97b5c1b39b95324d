import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import { watchZones } from './once.ts'

function watch(...zones: string[]) {
  let isDone = false
  const watched = watchZones(zones, () => {
    isDone = true
  })
  const cycle = (zone: string, waitMs = 1) => watched.observe({ type: 'cycle', zone, waitMs })
  const fail = (zone: string, failures: number, error: Error = new Error('the disk is full')) => {
    watched.observe({ type: 'failed', zone, error, failures, retryAt: 0 })
    if (failures > 0) cycle(zone)
  }
  return { ...watched, cycle, fail, isDone: () => isDone }
}
const refusal = new ApiError(new Response(null, { status: 403 }), undefined)

test('it is done when every zone waits for its next window', () => {
  const { cycle, isDone, result } = watch('1', '2')
  cycle('1')
  cycle('2', 0) // more windows are closed
  expect(isDone()).toBe(false)
  cycle('2')
  expect([isDone(), result()]).toEqual([true, 0])
})

test('a zone that fails is repeated, and given up after three failures', () => {
  const { fail, isDone, result, failed } = watch('1')
  for (let failures = 1; failures < 3; failures++) fail('1', failures)
  expect(isDone()).toBe(false)
  fail('1', 3)
  expect([isDone(), result(), [...failed.keys()]]).toEqual([true, 1, ['1']])
})

test('a refused zone is given up at once; if all are refused, the credential is', () => {
  const { fail, cycle, result } = watch('1', '2')
  fail('1', 1, refusal)
  expect(result()).toBe(3)
  fail('2', 3)
  cycle('2')
  expect(result()).toBe(1)
})

test('a failed recheck ends nothing', () => {
  const { fail, cycle, isDone, result } = watch('1')
  fail('1', 0)
  cycle('1')
  expect([isDone(), result()]).toEqual([true, 0])
})
