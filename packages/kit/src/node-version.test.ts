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
  ['>=24.18', '24.18.0'],
  ['>=24.18', '24.100.1'],
  ['>=24.18', '25.0.0'],
  ['>=22.15', '24.1.0'],
  ['>=22', '22.0.0'],
])('%s accepts %s', (range, version) => {
  expect(checkNodeVersion('cdn', range, version)).toBe(true)
  expect([written, process.exitCode]).toEqual(['', undefined])
})

test.each([
  ['>=24.18', '24.17.9'],
  ['>=24.18', '23.99.0'],
  ['>=22.15', '9.30.0'],
])('%s rejects %s with one sentence', (range, version) => {
  expect(checkNodeVersion('cdn', range, version)).toBe(false)
  expect([written, process.exitCode]).toEqual([
    `cdn: Node ${version} is too old; expected Node ${range}. To install it: npm install --global node@24\n`,
    2,
  ])
})
