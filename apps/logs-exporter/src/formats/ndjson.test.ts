import { createHash, randomBytes } from 'node:crypto'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collect, load, store, toInput, toLines } from '../../tests/support/stored.ts'
import { contentOf, type Encoding, type StoredFile } from './format.ts'
import { ndjson } from './ndjson.ts'

const compressions = ['none', 'gzip', 'zstd'] as const
const peers = { none: (bytes: Buffer) => bytes, gzip: gunzipSync, zstd: zstdDecompressSync }

describe.each(compressions)('ndjson, %s', (compression) => {
  const format = ndjson(compression)

  test('decodes to the written lines; a third-party reader agrees', async () => {
    const row = fc.array(fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { maxKeys: 4 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 500 }),
        async (rows, step) => {
          const pieces = rows.map((batch) => batch.map((each) => `${JSON.stringify(each)}\n`).join(''))
          const stored = await store(format, pieces)
          expect(peers[compression](stored).toString()).toBe(pieces.join(''))
          expect(await load(format, stored, step)).toBe(pieces.join(''))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a truncated file is damaged, at any length', async () => {
    const text = Array.from({ length: 50 }, (_, n) => `{"n":${n * 7919}}\n`).join('')
    const stored = await store(format, [text])
    for (let end = 1; end < stored.length; end++) {
      if (compression === 'none' && stored[end - 1] === 10) continue // only the digest detects missing whole lines
      await expect(load(format, stored.subarray(0, end))).rejects.toMatchObject({ name: 'DamagedError' })
    }
  })

  test('the digest depends on the lines only, not on the compression', async () => {
    const content = await contentOf(format.decode(toInput(await store(format, ['{"a":1}\n{"a":2}\n', '{"a":3}\n']))))
    expect(content).toEqual({
      rows: 3,
      sha256: createHash('sha256').update('{"a":1}\n{"a":2}\n{"a":3}\n').digest('hex'),
    })
  })

  test('a read failure is not reported as damage', async () => {
    const broken: StoredFile = {
      size: 9,
      // biome-ignore lint/correctness/useYield: it fails before the first piece
      async *stream() {
        throw new Error('connection lost')
      },
      slice: () => Promise.reject(new Error('connection lost')),
    }
    await expect(collect(format.decode(broken))).rejects.toMatchObject({ name: 'Error', message: 'connection lost' })
  })

  test('a later write or the end reports a failure of the output', async () => {
    const full = async () => {
      throw new Error('disk full')
    }
    const encoding = format.encode(full)
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
    expect(written).toBeLessThan(50)
    gate.resolve()
    await writing
    expect((await encoding.end()).rows).toBe(200)
  })
})

// Only with compression: plain NDJSON has no checksum.
test.each(['gzip', 'zstd'] as const)(
  'ndjson, %s: a changed byte never changes a row undetected',
  async (compression) => {
    const format = ndjson(compression)
    const text = Array.from({ length: 50 }, (_, n) => `{"n":${n * 7919}}\n`).join('')
    const stored = await store(format, [text])
    let damaged = 0
    for (let at = 0; at < stored.length; at++) {
      const changed = Buffer.from(stored)
      changed.writeUInt8(stored.readUInt8(at) ^ 0x10, at)
      const result = await load(format, changed).catch((error: Error) => error.name)
      if (result === 'DamagedError') damaged++
      else expect(result).toBe(text) // an unused bit, such as the time in a gzip header
    }
    expect(damaged).toBeGreaterThan(stored.length * 0.9)
  },
)

/** A line of 100 kB that can hardly be compressed. */
const noise = () => `"${randomBytes(50_000).toString('hex')}"\n`
