import { createHash } from 'node:crypto'
import { type Content, DamagedError } from './format.ts'

const lineFeed = 10

/** Counts and hashes lines as they pass. */
export interface Digest {
  /** @param rows the number of lines, where it is known; else they are counted */
  update(bytes: Uint8Array, rows?: number): void
  content(): Content
}

/** Starts a digest: SHA-256 over the bytes of all lines, and their number. `content()` ends it. */
export function createDigest(): Digest {
  const hash = createHash('sha256')
  let total = 0
  return {
    update(bytes, rows = countLines(bytes)) {
      hash.update(bytes)
      total += rows
    },
    content: () => ({ rows: total, sha256: hash.digest('hex') }),
  }
}

/**
 * Hands lines on and proves at their end that they are the ones expected.
 *
 * @throws DamagedError after the last piece, where number or digest differ
 */
export async function* prove(lines: AsyncIterable<Uint8Array>, expected: Content): AsyncGenerator<Uint8Array> {
  const digest = createDigest()
  for await (const piece of lines) {
    digest.update(piece)
    yield piece
  }
  const found = digest.content()
  if (found.rows !== expected.rows)
    throw new DamagedError(`holds ${found.rows} rows where ${expected.rows} were written`)
  if (found.sha256 !== expected.sha256) throw new DamagedError('holds other rows than were written (SHA-256 differs)')
}

/** Reads lines to their end for what they amount to. */
export async function contentOf(lines: AsyncIterable<Uint8Array>): Promise<Content> {
  const digest = createDigest()
  for await (const piece of lines) digest.update(piece)
  return digest.content()
}

/** The number of line feeds. */
export function countLines(bytes: Uint8Array): number {
  let lines = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) lines++
  return lines
}

/**
 * Cuts pieces of any length at ends of lines.
 *
 * @throws DamagedError where the last line has no end
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
  if (rest.length > 0) throw new DamagedError('is cut short: its last line has no end')
}
