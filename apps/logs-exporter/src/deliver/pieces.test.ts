import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collect } from '../../tests/support/stored.ts'
import { cutPieces, keyedLines, keyOf } from './pieces.ts'

const id = { zone: '1', from: 0, to: 300_000, revision: 2 }
const mebibyte = 2 ** 20

/** The lines in parts of whole lines. */
async function* inParts(lines: readonly string[], perPart: number) {
  for (let at = 0; at < lines.length; at += perPart) yield Buffer.from(lines.slice(at, at + perPart).join(''))
}

test('pieces are whole lines, together the segment, and the same after each start at a cursor', async () => {
  const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(mebibyte), fc.constant(mebibyte - 1)), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(lengths, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), async (sizes, a, b) => {
      const lines = sizes.map((size, n) => `${String(n).padEnd(size, 'x')}\n`)
      const pieces = await collect(cutPieces(id, inParts(lines, a), 0))
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(Buffer.from(lines.join('')))).toBe(true)
      expect(pieces.map(({ isLast }) => isLast)).toEqual(pieces.map((_, n) => n === pieces.length - 1))
      for (const { bytes } of pieces) {
        expect(bytes.at(-1)).toBe(10)
        expect(bytes.lastIndexOf(10, bytes.length - 2)).toBeLessThan(mebibyte)
      }
      for (const [n, { offset }] of [...pieces.entries()].slice(0, 3)) {
        const again = await collect(cutPieces(id, inParts(lines, b), offset))
        expect(again.map(keyOf)).toEqual(pieces.slice(n).map(keyOf))
      }
    }),
    { numRuns: 25 },
  )
})

test('each row has a key of its own, also if two rows are equal', async () => {
  const [piece] = await collect(cutPieces(id, inParts(['{"a":1}\n', '{"a":1}\n'], 1), 0))
  const keys = piece ? [...keyedLines(piece)] : []
  expect(keys.map(({ line }) => line)).toEqual(['{"a":1}', '{"a":1}'])
  expect(new Set(keys.map(({ key }) => key)).size).toBe(2)
})
