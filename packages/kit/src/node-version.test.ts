import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkNodeVersion } from './node-version.ts'

let written = ''
beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += text
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
  written = ''
})

test.each([
  ['>=24.18', '24.18.0', true],
  ['>=24.18', '24.100.1', true],
  ['>=22.15', '24.1.0', true],
  ['>=22', '22.0.0', true],
  ['>=24.18', '24.17.9', false],
  ['>=24.18', '23.99.0', false],
  ['>=22.15', '9.30.0', false],
])('%s and %s: %j, with one sentence for a Node that is too old', (range, version, isSupported) => {
  expect(checkNodeVersion('cdn', range, version)).toBe(isSupported)
  const sentence = `cdn: Node ${version} is too old; expected Node ${range}. To install it: npm install --global node@24\n`
  expect([written, process.exitCode]).toEqual(isSupported ? ['', undefined] : [sentence, 2])
})
