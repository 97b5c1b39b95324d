import { ApiError } from '@cdn/api'
import { expect, test } from 'vitest'
import { watchRefusals } from './observers.ts'

function watch(zones: number) {
  let refused = 0
  const { observe, isRefused } = watchRefusals(zones, () => refused++)
  const cycle = (zone: string) => observe({ type: 'cycle', zone, waitMs: 0 })
  return {
    observe,
    cycle,
    refuse(zone: string, status = 403) {
      const error = new ApiError(new Response(null, { status }), undefined)
      observe({ type: 'failed', zone, error, failures: 1, retryAt: 0 })
      cycle(zone)
    },
    state: () => [refused > 0, isRefused()],
  }
}

const names = Array.from({ length: 20 }, (_, n) => String(n))
const window = { zone: 'a', from: 0, to: 1 }

test.each([401, 403])('if every zone is refused with %i, the credential is wrong', (status) => {
  const { refuse, state } = watch(2)
  refuse('1', status)
  expect(state()).toEqual([false, false])
  refuse('2', status)
  expect(state()).toEqual([true, true])
})

test('twenty refused zones are enough evidence', () => {
  const { refuse, state } = watch(1_000)
  for (const zone of names) refuse(zone)
  expect(state()).toEqual([true, true])
})

test.each<[string, (of: ReturnType<typeof watch>) => void]>([
  ['was read', ({ observe }) => observe({ type: 'recheck', window, outcome: 'same' })],
  ['had no open window', ({ cycle }) => cycle('a')],
])('twenty zones are refused, but one %s: the export continues', (_, happens) => {
  const watched = watch(40)
  happens(watched)
  for (const zone of names) watched.refuse(zone)
  expect(watched.state()).toEqual([false, false])
})

test('other failures neither confirm nor exclude a wrong credential', () => {
  const { observe, cycle, refuse, state } = watch(1)
  observe({ type: 'failed', zone: '1', error: new Error('the disk is full'), failures: 1, retryAt: 0 })
  cycle('1')
  expect(state()).toEqual([false, false])
  refuse('1')
  expect(state()).toEqual([true, true])
})
