import { PassThrough } from 'node:stream'
import { hourMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { createExportProgress, createVerifyProgress } from './progress.ts'

const range = { from: 0, to: 2 * hourMs }
const window = (zone: string, from: number) => ({ zone, from, to: from + hourMs })
const segment = { ...window('1', 0), revision: 0, source: 'v2', rows: 1_234, bytes: 1, sha256: '' } as const

/** Renders the progress of two zones after three of four hours. One of the three hours is a gap. */
function drawn(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 200 })
  const progress = createExportProgress(stream, 2, range)
  progress.observe({ type: 'window', window: window('1', 0), segment })
  progress.observe({ type: 'window', window: window('1', hourMs), segment: undefined })
  progress.observe({ type: 'gap', gap: { ...window('2', 0), reason: 'late', noticedAt: 0 } })
  progress.observe({ type: 'window', window: window('1', 0), segment }) // a second read of a window adds no time
  progress.close()
  return String(stream.read() ?? '')
}

test('a bar shows how much of the range is done, and the rows', () => {
  expect(drawn(true)).toContain('75 % · 3 of 4 h of logs · 2,468 rows')
})

test('the output stays empty if it is not a terminal', () => {
  expect(drawn(false)).toBe('')
})

test('the remaining time is unknown before the first window is done', () => {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 200 })
  const progress = createExportProgress(stream, 2, range)
  progress.observe({ type: 'window', window: { ...window('1', 0), to: hourMs / 12 }, segment })
  progress.close()
  expect(String(stream.read())).toMatch(/rows · \? left/)
})

test('verify writes a line after every ten seconds, with all segments since the start', () => {
  const stream = new PassThrough({ encoding: 'utf8' })
  let time = 0
  const verified = createVerifyProgress(stream, () => time)
  for (; time <= 25_000; time += 1000) verified({ ...window('7', 0), segments: [segment] })
  expect(String(stream.read())).toBe(
    '11 segments verified, of zone 7 up to 1970-01-01T01:00:00.000Z\n21 segments verified, of zone 7 up to 1970-01-01T01:00:00.000Z\n',
  )
})
