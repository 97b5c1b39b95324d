import { expect, test } from 'vitest'
import { createBufferPool } from './bytes.ts'

test('a released buffer is detached, and reused for a request of at most its size', () => {
  const pool = createBufferPool()
  const first = pool.take(1000)
  expect(first.byteLength).toBe(1024)
  pool.release(first)
  expect(first.byteLength).toBe(0)
  expect(pool.takeFree(1025)).toBeUndefined()
  expect(pool.takeFree(1024)?.byteLength).toBe(1024)
  expect(pool.takeFree(1)).toBeUndefined()
})

test('the pool keeps the largest buffers', () => {
  const pool = createBufferPool(2)
  for (const bytes of [3000, 100, 5000, 200]) pool.release(new ArrayBuffer(bytes))
  expect([pool.takeFree(1)?.byteLength, pool.takeFree(1)?.byteLength, pool.takeFree(1)]).toEqual([
    3000,
    5000,
    undefined,
  ])
})
