import { expect, test } from 'vitest'
import { wrong } from './failure.ts'

test('the evidence has the beginning of a long element', () => {
  const seen = wrong('a line has wrong fields', { at: [{ path: 'line', text: 'x'.repeat(10_000_000) }] })
  expect(JSON.stringify(seen).length).toBeLessThan(2_000)
})
