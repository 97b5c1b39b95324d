import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

test('a command writes a line after every ten seconds', () => {
  const stream = new PassThrough({ encoding: 'utf8' })
  let time = 0
  const progress = createProgress(stream, () => time)
  for (; time <= 25_000; time += 1000) progress(() => `${time / 1000} s`)
  expect(String(stream.read())).toBe('10 s\n20 s\n')
})
