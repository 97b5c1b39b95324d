import { ApiError, TransportError } from '@cdn/api'
import { expect, test } from 'vitest'
import type { EngineEvent } from '../engine/events.ts'
import { exitCodeOfFailures, watchRefusals, watchZones } from './watch.ts'

const window = { zone: 'a', from: 0, to: 1 }
const refusal = (status = 403) => new ApiError(new Response(null, { status }), undefined)
const failed = (zone: string, error: Error, failures = 1): EngineEvent[] => [
  { type: 'failed', zone, error, failures, retryAt: 0 },
  ...(failures > 0 ? [cycle(zone)] : []),
]
const cycle = (zone: string, waitMs = 1): EngineEvent => ({ type: 'cycle', zone, waitMs })
const refused = (zone: string, status?: number) => failed(zone, refusal(status))
const full = new Error('the disk is full')
const slow = new TransportError({ operation: 'query-logs', text: 'GET /' }, 'timeout', 'took longer than 60000 ms')
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

test.each<[string, string[], EngineEvent[], isDone: boolean, code: number]>([
  ['a zone has more closed windows', ['1', '2'], [cycle('1'), cycle('2', 0)], false, 0],
  ['every zone waits for its next window', ['1', '2'], [cycle('1'), cycle('2', 0), cycle('2')], true, 0],
  ['a zone failed twice', ['1'], [...failed('1', full), ...failed('1', full, 2)], false, 0],
  ['a zone failed three times', ['1'], failed('1', full, 3), true, 1],
  ['a request of a zone took too long', ['1'], failed('1', slow), true, 1],
  ['all zones are refused', ['1'], refused('1'), true, 3],
  ['one is refused, one is done', ['1', '2'], [...refused('1'), cycle('2')], true, 1],
  ['one is refused, one fails', ['1', '2'], [...refused('1'), ...failed('2', full, 3)], true, 1],
  ['a recheck failed', ['1'], [...failed('1', full, 0), cycle('1')], true, 0],
])('the end of run --once: %s', (_, zones, events, expected, code) => {
  let isDone = false
  const watched = watchZones(zones, () => {
    isDone = true
  })
  events.forEach(watched.observe)
  expect([isDone, exitCodeOfFailures([...watched.failed.values()], zones.length)]).toEqual([expected, code])
})
