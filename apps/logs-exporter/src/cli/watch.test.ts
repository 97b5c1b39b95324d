import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import type { EngineEvent } from '../engine/events.ts'
import { exitCodeOfFailures, watchRefusals } from './watch.ts'

const window = { zone: 'a', from: 0, to: 1 }
const refusal = (status = 403) => new ApiError(new Response(null, { status }), undefined)
const failed = (zone: string, error: Error, failures = 1): EngineEvent[] => [
  { type: 'failed', zone, error, failures, retryAt: 0 },
  ...(failures > 0 ? [cycle(zone)] : []),
]
const cycle = (zone: string, waitMs = 1): EngineEvent => ({ type: 'cycle', zone, waitMs })
const refused = (zone: string, status?: number) => failed(zone, refusal(status))
const full = new Error('the disk is full')
const twenty = Array.from({ length: 20 }, (_, n) => refused(String(n))).flat()

test.each<[string, number, EngineEvent[], boolean]>([
  ['one of two zones is refused', 2, refused('1'), false],
  ['every zone is refused with 403', 2, [...refused('1'), ...refused('2')], true],
  ['every zone is refused with 401', 2, [...refused('1', 401), ...refused('2', 401)], true],
  ['twenty of a thousand are refused', 1_000, twenty, true],
  ['twenty, but one was read', 40, [{ type: 'recheck', window, outcome: 'same' }, ...twenty], false],
  ['twenty, but one had no open window', 40, [cycle('a'), ...twenty], false],
  ['another failure', 1, failed('1', full), false],
  ['another failure, then a refusal', 1, [...failed('1', full), ...refused('1')], true],
])('wrong credential: %s', (_, zones, events, expected) => {
  let isReported = false
  const { observe, isRefused } = watchRefusals(zones, () => {
    isReported = true
  })
  events.forEach(observe)
  expect([isReported, isRefused()]).toEqual([expected, expected])
})

test.each([
  ['no zone was given up', [], 2, 0],
  ['all zones are refused', [refusal(), refusal(401)], 2, 3],
  ['one is refused, one is done', [refusal()], 2, 1],
  ['one is refused, one fails', [refusal(), full], 2, 1],
])('the exit code of a command that ends: %s', (_, errors, zones, code) => {
  expect(exitCodeOfFailures(errors, zones)).toBe(code)
})
