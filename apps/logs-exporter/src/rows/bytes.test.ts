import { expect, test } from 'vitest'
import { LineBuffer } from './bytes.ts'

test('a released buffer is detached, and reused for lines of at most its size', () => {
  const lines = new LineBuffer(5000)
  lines.write('x'.repeat(10_000))
  const written = lines.written()
  expect(Buffer.from(written).toString()).toBe('x'.repeat(10_000))
  lines.release()
  expect(written).toHaveLength(0)
  const again = new LineBuffer(20_000)
  expect(again.written().buffer.byteLength).toBe(32_768)
  expect(new LineBuffer(40_000).written().buffer.byteLength).toBe(65_536)
})
