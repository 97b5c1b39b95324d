import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { backOff, maxTimerMs, readHttpDate, retryAfter, sleep } from './wait.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([0, 1, 500, maxTimerMs, maxTimerMs + 1, 3 * maxTimerMs + 5])(
  'a wait takes %d ms, however long',
  async (ms) => {
    let isOver = false
    const over = sleep(ms).then(() => {
      isOver = true
    })
    if (ms > 1) {
      await vi.advanceTimersByTimeAsync(ms - 1)
      expect(isOver).toBe(false)
    }
    await vi.advanceTimersByTimeAsync(1)
    await over
    expect(vi.getTimerCount()).toBe(0)
  },
)

test.each([-1, Number.NEGATIVE_INFINITY, Number.NaN])(
  'a wait of %d ms ends at once, and Node warns of nothing',
  async (ms) => {
    const warned = vi.fn()
    process.on('warning', warned)
    const over = sleep(ms)
    await vi.advanceTimersByTimeAsync(0)
    await over
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  },
)

test('a signal ends a wait with its reason, also one that fired before, and nothing is left', async () => {
  const reason = new Error('stop')
  const controller = new AbortController()
  const waits = [sleep(1000, controller.signal), sleep(maxTimerMs * 2, controller.signal)]
  const failures = Promise.all(waits.map((wait) => wait.catch((error) => error)))
  controller.abort(reason)
  expect(await failures).toEqual([reason, reason])
  await expect(sleep(5, controller.signal)).rejects.toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
  const open = new AbortController().signal
  const over = sleep(5, open)
  await vi.advanceTimersByTimeAsync(5)
  await over
  expect(getEventListeners(open, 'abort')).toEqual([])
})

test('a pause doubles up to its maximum, is never negative, and respects the requested pause up to the maximum', () => {
  const pauses = { firstMs: 100, maxMs: 1000 }
  expect([1, 2, 3, 4, 5, 2000].map((failures) => backOff(failures, pauses))).toEqual([100, 200, 400, 800, 1000, 1000])
  expect([0, 50, 300, 5000].map((requested) => backOff(1, pauses, requested))).toEqual([100, 100, 300, 1000])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, share) => {
      const pause = backOff(failures, { ...pauses, randomShare: 1, random: () => share })
      expect(pause).toBeGreaterThanOrEqual(0)
      expect(pause).toBeLessThanOrEqual(1000)
    }),
  )
})

const now = Date.UTC(2026, 10, 27, 12)
const dates: readonly ((ms: number) => string)[] = [
  (ms) => new Date(ms).toUTCString(),
  (ms) =>
    new Date(ms)
      .toUTCString()
      .replace(/^(\w+), (\d+) (\w+) \d\d(\d\d)/, (_, day, date, month, year) => `${day}day, ${date}-${month}-${year}`),
  (ms) =>
    new Date(ms)
      .toUTCString()
      .replace(
        /^(\w+), (\d+) (\w+) (\d+) (.+) GMT/,
        (_, day, date, month, year, time) => `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
      ),
]

test('Retry-After in seconds and in each form of a date, measured by the clock of the server', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -100_000, max: 100_000 }),
      fc.integer({ min: -1e6, max: 1e6 }),
      fc.constantFrom(...dates),
      (seconds, off, write) => {
        const expected = seconds > 0 ? seconds * 1000 : undefined
        expect(retryAfter(new Headers({ 'retry-after': `${seconds}` }))).toBe(expected)
        const server = now + off * 1000
        const header = { 'retry-after': write(server + seconds * 1000), date: new Date(server).toUTCString() }
        expect(retryAfter(new Headers(header), now)).toBe(expected)
        expect(retryAfter(new Headers({ 'retry-after': write(now + seconds * 1000) }), now)).toBe(expected)
      },
    ),
  )
})

test.each([
  '',
  '-5',
  '1.5',
  'soon',
  'Infinity',
  '1e3',
  '0',
  '2099-01-01T00:00:00Z',
  'Fri, 99 Nov 2099 99:99:99 GMT',
  '5 s',
])('Retry-After: %s requests no pause', (text) => {
  expect(retryAfter(new Headers({ 'retry-after': text }), now)).toBeUndefined()
})

test('an HTTP date is read; any other text is undefined', () => {
  expect(readHttpDate(null)).toBeUndefined()
  expect(readHttpDate('tomorrow')).toBeUndefined()
  expect(readHttpDate('Fri, 27 Nov 2026 12:00:00 GMT')).toBe(now)
})
