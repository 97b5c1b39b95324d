import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { readSecret } from './secret.ts'
import { formatDuration, parseConfigDuration } from './values.ts'
import { substituteVariables } from './variables.ts'

test.each([
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  ['0s', 0],
  ['250ms', 250],
  ['2d', 172_800_000],
  ['0.001s', 1],
  ['5', undefined],
  ['5 m', undefined],
  ['-5m', undefined],
  ['5M', undefined],
  ['0.0001s', undefined],
  ['m', undefined],
  ['5constructor', undefined],
  ['', undefined],
])('duration %s', (text, ms) => expect(parseConfigDuration(text)).toBe(ms))

test('a formatted duration parses to the same value', () => {
  fc.assert(fc.property(fc.nat({ max: 300_000_000 }), (ms) => parseConfigDuration(formatDuration(ms)) === ms))
})

test('a variable that is not set has no value, whatever its name; a secret in place of a name is not shown', async () => {
  for (const name of ['toString', '__proto__', 'constructor', 'dcba4f2c-1122']) {
    const mistakes = substituteVariables(parseDocument(`path: "\${${name}}"`), {})
    expect(mistakes).toHaveLength(1)
    await expect(readSecret({ env: name }, {})).rejects.toThrow(/^An environment variable \(its name is not shown/)
  }
  await expect(readSecret({ env: 'CDN_KEY' }, {})).rejects.toThrow(
    'The environment variable CDN_KEY must hold a secret; it is not set.',
  )
})
