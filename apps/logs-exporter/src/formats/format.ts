import type { BatchSource } from '../rows/batch.ts'
import type { Lines } from '../rows/encoder.ts'

/** Output of an encoder. Resolves when the output accepts more. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>

/** A stored file. */
export interface StoredFile {
  /** Bytes of the file. */
  readonly size: number
  /** All bytes in order. */
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

/** An encoder in progress. */
export interface Encoding {
  /**
   * Resolves when the encoder accepts more (the output's back-pressure passes through the compression). The caller must not change
   * the bytes afterwards: the encoder may read them after the promise resolves.
   *
   * @throws errors of the output
   */
  write(lines: Lines): Promise<void>
  /** Writes the rest. Resolves when the output has every byte. */
  end(): Promise<Content>
  /** Releases memory and threads. The output receives no further byte. */
  abort(): void
}

/** The content of a file according to its metadata, without reading its rows. */
export interface Label extends Content {
  readonly source: BatchSource
}

/** A file format for lines, for all sinks that store files. */
export interface FileFormat {
  /** File name extension, including its first dot. */
  readonly extension: string
  /** Value for Content-Type. */
  readonly mediaType: string
  encode(output: WriteBytes, source: BatchSource): Encoding
  /** The lines, byte for byte as they were written, in pieces of whole lines. @throws DamagedError */
  decode(input: StoredFile): AsyncIterable<Uint8Array>
  /** The content according to the metadata; undefined for formats without metadata. @throws DamagedError */
  label?(input: StoredFile): Promise<Label>
}

/** The bytes are truncated or changed, or this format did not write them. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError'
}
