import { createHash } from 'node:crypto'
import { DamagedError } from '../errors.ts'
import type { Lines } from '../rows/encoder.ts'

/** Output of an encoder. Resolves when the output accepts more. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>

export interface StoredFile {
  readonly size: number
  stream(): AsyncIterable<Uint8Array>
  /** Bytes `from` to `to` (exclusive). Returns fewer if the file ends before `to`. */
  slice(from: number, to: number): Promise<Uint8Array>
}

/** Number and digest of the lines of a segment. Both are independent of the format. */
export interface Content {
  readonly rows: number
  /** SHA-256 of the lines, in hex. */
  readonly sha256: string
}

export interface Encoding {
  /**
   * Resolves when the encoder accepts more (the output's back-pressure passes through the compression), and no longer needs the bytes.
   *
   * @throws errors of the output
   */
  write(lines: Lines): Promise<void>
  /** Writes the rest. Resolves when the output has every byte. */
  end(): Promise<Content>
  /** Releases memory and threads. The output receives no further byte. */
  abort(): void
}

/** A file format for lines, for all sinks that store files. */
export interface FileFormat {
  /** File name extension, including its first dot. */
  readonly extension: string
  readonly mediaType: string
  /** Whether `encode` can use `Lines.columns`. Without them, it parses the lines. */
  readonly takesValues?: true
  encode(output: WriteBytes): Encoding
  /** The lines, byte for byte as they were written, in pieces of whole lines. @throws DamagedError */
  decode(input: StoredFile): AsyncIterable<Uint8Array>
  /** The content according to the metadata; undefined for formats without metadata. @throws DamagedError */
  label?(input: StoredFile): Promise<Content>
}

const lineFeed = 10

/** Creates a digest: the SHA-256 of the bytes of all lines, and the number of lines. `content()` finishes it. */
export function createDigest() {
  const hash = createHash('sha256')
  let total = 0
  return {
    /** @param rows the number of lines; counted if omitted */
    update(bytes: Uint8Array, rows = countLines(bytes)): void {
      hash.update(bytes)
      total += rows
    },
    content: (): Content => ({ rows: total, sha256: hash.digest('hex') }),
  }
}

/**
 * Passes lines through. After the last one, checks that they match the expected content.
 *
 * @throws DamagedError after the last piece, if the number or the digest differs
 */
export async function* verifyContent(lines: AsyncIterable<Uint8Array>, expected: Content): AsyncGenerator<Uint8Array> {
  const digest = createDigest()
  for await (const piece of lines) {
    digest.update(piece)
    yield piece
  }
  const actual = digest.content()
  if (actual.rows !== expected.rows) throw new DamagedError(`holds ${actual.rows} rows; ${expected.rows} were written`)
  if (actual.sha256 !== expected.sha256)
    throw new DamagedError('holds different rows than were written (SHA-256 differs)')
}

/** Reads all lines and returns their number and digest. */
export async function contentOf(lines: AsyncIterable<Uint8Array>): Promise<Content> {
  const digest = createDigest()
  for await (const piece of lines) digest.update(piece)
  return digest.content()
}

/** The lines of a text, without their line feeds. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Counts line feeds. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) lines++
  return lines
}

/**
 * Joins and splits pieces so that each one ends with a line feed.
 *
 * @throws DamagedError if the last line has no line feed
 */
export async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array[] = []
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(lineFeed) + 1
    if (end > 0) {
      yield rest.length === 0 ? piece.subarray(0, end) : Buffer.concat([...rest, piece.subarray(0, end)])
      rest = []
    }
    if (end < piece.length) rest.push(piece.subarray(end))
  }
  if (rest.length > 0) throw new DamagedError('is cut short: its last line has no line feed')
}
