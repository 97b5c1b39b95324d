import { expect, test } from 'vitest'
import { UsageError } from '../terminal/command-error.ts'
import { commandRange } from './range.ts'

const hour = 3_600_000
const now = Date.UTC(2026, 5, 17, 12)
const retention = 72 * hour
const at = (hours: number) => new Date(now + hours * hour)
const nothing = { since: undefined, from: undefined, to: undefined }

test.each([
  ['nothing', nothing, [-1, 0]],
  ['--since', { ...nothing, since: 2 * hour }, [-2, 0]],
  ['--since before --to', { ...nothing, since: 2 * hour, to: at(-5) }, [-7, -5]],
  ['--from', { ...nothing, from: at(-9) }, [-9, 0]],
  ['both ends', { ...nothing, from: at(-9), to: at(-8) }, [-9, -8]],
  ['the whole retention, except its oldest minute', { ...nothing, since: retention }, [-72 + 1 / 60, 0]],
  ['a start that is too old stays, for the platform to refuse', { ...nothing, from: at(-100) }, [-100, 0]],
] as const)('%s', (_text, options, [from, to]) => {
  expect(commandRange(options, now, hour, retention)).toEqual({ from: now + from * hour, to: now + to * hour })
})

test.each([
  [{ ...nothing, since: hour, from: at(-1) }, '--since or --from'],
  [{ ...nothing, from: at(-1), to: at(-2) }, 'after its end'],
])('contradictions are refused: %o', (options, words) => {
  expect(() => commandRange(options, now, hour, retention)).toThrow(UsageError)
  expect(() => commandRange(options, now, hour, retention)).toThrow(words)
})
