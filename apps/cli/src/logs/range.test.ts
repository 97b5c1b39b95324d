import { hourMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { UsageError } from '../terminal/command-error.ts'
import { resolveRange } from './range.ts'

const current = new Date('2026-06-17T12:00:00Z')
const now = current.getTime()
const retention = 72 * hourMs
const at = (hours: number) => () => new Date(now + hours * hourMs)

test.each([
  ['nothing', {}, [-1, 0]],
  ['--since', { since: 2 * hourMs }, [-2, 0]],
  ['--since before --to', { since: 2 * hourMs, to: at(-5) }, [-7, -5]],
  ['--from', { from: at(-9) }, [-9, 0]],
  ['both ends', { from: at(-9), to: at(-8) }, [-9, -8]],
  ['the whole retention, except its oldest minute', { since: retention }, [-72 + 1 / 60, 0]],
] as const)('the range of %s', (_text, options, [from, to]) => {
  expect(resolveRange(options, current)).toEqual({ from: now + from * hourMs, to: now + to * hourMs })
})

test.each([
  [{ since: hourMs, from: at(-1) }, '--since or --from'],
  [{ from: at(-1), to: at(-2) }, 'after its end'],
  [{ from: at(-73) }, 'Logs are kept for 3 days'],
  [{ since: retention, to: at(-1) }, 'start the range at 2026-06-14T12:01:00.000Z or later'],
])('contradictions, and ranges before the retention, are refused: %o', (options, words) => {
  expect(() => resolveRange(options, current)).toThrow(UsageError)
  expect(() => resolveRange(options, current)).toThrow(words)
})
