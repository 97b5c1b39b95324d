import { LoggingError } from '@cdn/api'
import { expect, test } from 'vitest'
import { watchRefusals } from './refusals.ts'

function watch(zones: number) {
  let refused = 0
  const { observe, isRefused } = watchRefusals(zones, () => refused++)
  const turn = (zone: string) => observe({ type: 'turn', zone, nextDue: 0 })
  return {
    observe,
    turn,
    refuse(zone: string, status = 403) {
      const error = Object.assign(Object.create(LoggingError.prototype), { status }) as Error
      observe({ type: 'failed', zone, error, failures: 1, retryAt: 0 })
      turn(zone)
    },
    told: () => [refused > 0, isRefused()],
  }
}

const names = Array.from({ length: 20 }, (_, n) => String(n))
const window = { zone: 'a', from: 0, to: 1 }

test.each([401, 403])('every zone is refused with %i: the credential is', (status) => {
  const { refuse, told } = watch(2)
  refuse('1', status)
  expect(told()).toEqual([false, false])
  refuse('2', status)
  expect(told()).toEqual([true, true])
})

test('of many zones the first twenty are enough', () => {
  const { refuse, told } = watch(1_000)
  for (const zone of names) refuse(zone)
  expect(told()).toEqual([true, true])
})

test.each<[string, (of: ReturnType<typeof watch>) => void]>([
  ['was read', ({ observe }) => observe({ type: 'look', window, outcome: 'same' })],
  ['had nothing to ask for', ({ turn }) => turn('a')],
])('twenty zones are refused, but one %s: the others go on', (_, happens) => {
  const watched = watch(40)
  happens(watched)
  for (const zone of names) watched.refuse(zone)
  expect(watched.told()).toEqual([false, false])
})

test('another failure says nothing of the credential, neither way', () => {
  const { observe, turn, refuse, told } = watch(1)
  observe({ type: 'failed', zone: '1', error: new Error('the disk is full'), failures: 1, retryAt: 0 })
  turn('1')
  expect(told()).toEqual([false, false])
  refuse('1')
  expect(told()).toEqual([true, true])
})
