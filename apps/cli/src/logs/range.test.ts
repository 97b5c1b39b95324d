import { hourMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { UsageError } from '../terminal/command-error.ts'
import { commandRange } from './range.ts'

const now = Date.UTC(2026, 5, 17, 12)
const retention = 72 * hourMs
const at = (hours: number) => new Date(now + hours * hourMs)
const nothing = { since: undefined, from: undefined, to: undefined }

test.each([
  ['nothing', nothing, [-1, 0]],
  ['--since', { ...nothing, since: 2 * hourMs }, [-2, 0]],
  ['--since before --to', { ...nothing, since: 2 * hourMs, to: at(-5) }, [-7, -5]],
  ['--from', { ...nothing, from: at(-9) }, [-9, 0]],
  ['both ends', { ...nothing, from: at(-9), to: at(-8) }, [-9, -8]],
  ['the whole retention, except its oldest minute', { ...nothing, since: retention }, [-72 + 1 / 60, 0]],
] as const)('%s', (_text, options, [from, to]) => {
  expect(commandRange(options, now)).toEqual({ from: now + from * hourMs, to: now + to * hourMs })
})

test.each([
  [{ ...nothing, since: hourMs, from: at(-1) }, '--since or --from'],
  [{ ...nothing, from: at(-1), to: at(-2) }, 'after its end'],
  [{ ...nothing, from: at(-73) }, 'Logs are kept for 3 days'],
  [{ ...nothing, since: retention, to: at(-1) }, 'start the range at 2026-06-14T12:01:00.000Z or later'],
])('contradictions, and ranges before the retention, are refused: %o', (options, words) => {
  expect(() => commandRange(options, now)).toThrow(UsageError)
  expect(() => commandRange(options, now)).toThrow(words)
})
