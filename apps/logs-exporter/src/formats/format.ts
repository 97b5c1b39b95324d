import type { Lines, Source } from '../rows/encoder.ts'

/** Where the bytes of a file go; resolves when more can be taken. */
export type Output = (bytes: Uint8Array) => Promise<void>

/** A stored file. */
export interface Input {
  /** Bytes of the file. */
  readonly size: number
  /** From the first byte to the last. */
  stream(): AsyncIterable<Uint8Array>
  /** Bytes `from` to `to`, exclusive; fewer where the file ends before. */
  slice(from: number, to: number): Promise<Uint8Array>
}

/** What the lines of a segment amount to, whatever they are stored as. */
export interface Content {
  readonly rows: number
  /** SHA-256 of the lines, in hex. */
  readonly sha256: string
}

/** A file being written. */
export interface Encoding {
  /**
   * Resolves when more can be taken: back-pressure of the output, through the compression. The bytes are no longer the
   * caller's: they may be read after it has resolved.
   *
   * @throws what the output threw
   */
  write(lines: Lines): Promise<void>
  /** Writes the rest. The output has every byte when it resolves. */
  end(): Promise<Content>
  /** Lets go of memory and threads; the output gets no further byte. */
  abort(): void
}

/** What a file says of itself without its rows being read. */
export interface Label extends Content {
  readonly source: Source
}

/** A way to store lines as a file, for all sinks that hold files. */
export interface Format {
  /** Ends the name of a file, with its first dot. */
  readonly extension: string
  /** For Content-Type. */
  readonly mediaType: string
  encode(output: Output, source: Source): Encoding
  /** The lines as they were written, byte for byte, in pieces of whole lines. @throws DamagedError */
  decode(input: Input): AsyncIterable<Uint8Array>
  /** What the file says of itself; undefined for formats in which it has no place. @throws DamagedError */
  label?(input: Input): Promise<Label>
}

/** The bytes are not what this format writes: cut short, changed, or something else. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError'
}
