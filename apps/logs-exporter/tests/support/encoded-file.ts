import { collect } from '@cdn/kit/testing/collect'
import type { FileFormat, StoredFile } from '../../src/formats/format.ts'
import type { Lines } from '../../src/rows/encoder.ts'

/** Lines in the form of an encoder's output. Formats with typed columns need canonical lines. */
export function toLines(text: string): Lines {
  return { bytes: Buffer.from(text), rows: text.split('\n').length - 1, replaced: 0, rejects: [] }
}

/** Encodes texts as one file. Each text consists of whole lines. */
export async function encodeFile(format: FileFormat, texts: readonly string[]): Promise<Buffer> {
  const stored: Uint8Array[] = []
  const encoding = format.encode(async (bytes) => void stored.push(Buffer.from(bytes)))
  for (const text of texts) await encoding.write(toLines(text))
  await encoding.end()
  return Buffer.concat(stored)
}

/** A stored file that is streamed in pieces of `step` bytes. */
export function toInput(bytes: Buffer, step = 1000): StoredFile {
  return {
    size: bytes.length,
    async *stream() {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
    },
    slice: async (from, to) => bytes.subarray(from, to),
  }
}

/** The lines of a stored file, as one text. */
export async function decodeFile(format: FileFormat, bytes: Buffer, step?: number): Promise<string> {
  return Buffer.concat(await collect(format.decode(toInput(bytes, step)))).toString()
}
