import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalLine } from '../../tests/support/arbitrary-rows.ts'
import { collect, load, store, toInput, toLines } from '../../tests/support/stored.ts'
import { contentOf } from './format.ts'
import { parquet } from './parquet.ts'

const line = (n: number) => {
  const timestamp = new Date(1_781_000_000_000 + n).toISOString()
  return `{"timestamp":"${timestamp}","pullZoneId":7,"statusCode":200,"bytesSent":${n * 7919},"path":"/${n}","source":"v2"}\n`
}
const some = Array.from({ length: 60 }, (_, n) => line(n)).join('')

describe('parquet', () => {
  test('decodes to every canonical line, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(canonicalLine, { minLength: 1, maxLength: 30 }), async (rows) => {
        expect(await load(parquet, await store(parquet, [rows.join('')]))).toBe(rows.join(''))
      }),
      { numRuns: 60 },
    )
  })

  test('the footer describes the content', async () => {
    const input = toInput(await store(parquet, [some, line(99)]))
    expect(await parquet.label?.(input)).toEqual({ ...(await contentOf(parquet.decode(input))), source: 'v2' })
  })

  test('each full row group goes to the output at once', async () => {
    const rows = Array.from({ length: 9000 }, (_, n) => line(n).replace('","source', `${'x'.repeat(2000)}","source`))
    const stored: Uint8Array[] = []
    const encoding = parquet.encode(async (bytes) => void stored.push(bytes))
    for (let at = 0; at < rows.length; at += 1000) await encoding.write(toLines(rows.slice(at, at + 1000).join('')))
    expect(stored).toHaveLength(2) // of 19 MB: a row group has at most 8 MiB
    await encoding.end()
    const pieces = await collect(parquet.decode(toInput(Buffer.concat(stored))))
    expect(pieces).toHaveLength(3)
    expect(Buffer.concat(pieces).toString()).toBe(rows.join(''))
  })

  test('a truncated file is damaged', async () => {
    const stored = await store(parquet, [some])
    for (let end = 1; end < stored.length; end += 13) {
      await expect(load(parquet, stored.subarray(0, end))).rejects.toMatchObject({ name: 'DamagedError' })
    }
  })

  test('a changed byte of rows or footer is damage', async () => {
    const stored = await store(parquet, [some])
    let damaged = 0
    for (let at = 0; at < stored.length; at += 3) {
      const changed = Buffer.from(stored)
      changed.writeUInt8(stored.readUInt8(at) ^ 0x04, at)
      const result = await load(parquet, changed).catch((error: Error) => error.name)
      if (result === 'DamagedError') damaged++
      else expect(result).toBe(some)
    }
    expect(damaged).toBe(Math.ceil(stored.length / 3))
  })

  test('a read failure is not reported as damage', async () => {
    const lost = { ...toInput(Buffer.alloc(1000)), slice: () => Promise.reject(new Error('connection lost')) }
    await expect(load(parquet, Buffer.alloc(0))).rejects.toMatchObject({ name: 'DamagedError' })
    await expect(collect(parquet.decode(lost))).rejects.toThrow('connection lost')
  })
})
