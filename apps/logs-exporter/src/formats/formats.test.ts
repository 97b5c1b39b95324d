import { hash, randomBytes } from 'node:crypto'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { collect } from '@cdn/kit/testing/collect'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { line as lineOf, windowAt } from '../../tests/sinks/lines.ts'
import { canonicalLine } from '../../tests/support/arbitrary-rows.ts'
import { decodeFile, encodeFile, toInput, toLines } from '../../tests/support/encoded-file.ts'
import { contentOf, type Encoding, type FileFormat, type StoredFile } from './format.ts'
import { ndjson } from './ndjson.ts'
import { parquet } from './parquet.ts'

interface Example {
  readonly name: string
  readonly format: FileFormat
  /** A decoder that is not ours, for comparison. For Parquet, `tests/sinks/equality.test.ts` uses DuckDB instead. */
  readonly peer?: (bytes: Buffer) => Buffer
  /** Minimum share of changed bytes that are detected. Plain NDJSON has no checksum; gzip has unused bits. */
  readonly minDetected: number
}

const examples: readonly Example[] = [
  { name: 'ndjson', format: ndjson('none'), peer: (bytes) => bytes, minDetected: 0 },
  { name: 'ndjson.gz', format: ndjson('gzip'), peer: gunzipSync, minDetected: 0.9 },
  { name: 'ndjson.zst', format: ndjson('zstd'), peer: zstdDecompressSync, minDetected: 0.9 },
  { name: 'parquet', format: parquet, minDetected: 1 },
]

const line = (n: number, path = `/${n}`) => lineOf(windowAt(0), n, { path })
const some = Array.from({ length: 50 }, (_, n) => line(n)).join('')
/** A line of 100 kB that can hardly be compressed. */
const noise = () => line(1, randomBytes(50_000).toString('hex'))

test('each format gives back the written lines, byte for byte; third-party readers agree', async () => {
  const batch = fc.array(canonicalLine, { minLength: 1, maxLength: 12 }).map((lines) => lines.join(''))
  const batches = fc.array(batch, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(batches, fc.integer({ min: 1, max: 500 }), async (pieces, step) => {
      for (const { format, peer } of examples) {
        const stored = await encodeFile(format, pieces)
        expect(await decodeFile(format, stored, step)).toBe(pieces.join(''))
        if (peer) expect(peer(stored).toString()).toBe(pieces.join(''))
      }
    }),
    { numRuns: 50 },
  )
})

describe.each(examples)('$name', ({ name, format }) => {
  test('the digest depends on the lines alone, and a label says the same', async () => {
    const input = toInput(await encodeFile(format, [some, line(99)]))
    const content = await contentOf(format.decode(input))
    expect(content).toEqual({ rows: 51, sha256: hash('sha256', some + line(99)) })
    if (format.label) expect(await format.label(input)).toEqual(content)
  })

  test('a truncated file is damaged, at any length', async () => {
    const stored = await encodeFile(format, [some])
    for (let end = 0; end < stored.length; end += 7) {
      // Only the digest detects missing whole lines.
      if (name === 'ndjson' && (end === 0 || stored[end - 1] === 10)) continue
      await expect(decodeFile(format, stored.subarray(0, end))).rejects.toMatchObject({ name: 'DamagedError' })
    }
  })

  test('a read failure is not reported as damage', async () => {
    const fail = () => Promise.reject(new Error('connection lost'))
    const broken: StoredFile = {
      size: 1000,
      slice: fail,
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
    }
    await expect(collect(format.decode(broken))).rejects.toMatchObject({
      name: 'Error',
      message: 'connection lost',
    })
  })

  test('a later write or the end reports a failure of the output', async () => {
    const encoding = format.encode(() => Promise.reject(new Error('disk full')))
    const all = async (target: Encoding) => {
      for (let n = 0; n < 50; n++) await target.write(toLines(noise()))
      await target.end()
    }
    await expect(all(encoding)).rejects.toThrow('disk full')
  })

  test('an output without progress blocks the writer', async () => {
    const [first, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const encoding = format.encode(() => {
      first.resolve()
      return gate.promise
    })
    let written = 0
    const writing = (async () => {
      for (; written < 200; written++) await encoding.write(toLines(noise()))
    })()
    await Promise.race([writing, first.promise])
    await new Promise(setImmediate)
    expect(written).toBeLessThan(100)
    gate.resolve()
    await writing
    expect((await encoding.end()).rows).toBe(200)
  })
})

const withChecksums = examples.filter(({ minDetected }) => minDetected > 0)

test.each(withChecksums)('$name: a changed byte never changes a row undetected', async ({ format, minDetected }) => {
  const stored = await encodeFile(format, [some])
  let [damaged, tried] = [0, 0]
  for (let at = 0; at < stored.length; at += 3) {
    const changed = Buffer.from(stored)
    changed.writeUInt8(stored.readUInt8(at) ^ 0x10, at)
    const result = await decodeFile(format, changed).catch((error: Error) => error.name)
    tried++
    if (result === 'DamagedError') damaged++
    else expect(result).toBe(some) // an unused bit, such as the time in a gzip header
  }
  expect(damaged / tried).toBeGreaterThanOrEqual(minDetected)
})

test('each full row group of Parquet goes to the output at once', async () => {
  const rows = Array.from({ length: 9000 }, (_, n) => line(n, 'x'.repeat(2000)))
  const stored: Uint8Array[] = []
  const encoding = parquet.encode(async (bytes) => void stored.push(bytes))
  for (let at = 0; at < rows.length; at += 1000) await encoding.write(toLines(rows.slice(at, at + 1000).join('')))
  expect(stored).toHaveLength(2) // of 19 MB: a row group has at most 8 MiB
  await encoding.end()
  const pieces = await collect(parquet.decode(toInput(Buffer.concat(stored))))
  expect(pieces).toHaveLength(3)
  expect(Buffer.concat(pieces).toString()).toBe(rows.join(''))
})
