import type { FileFormat } from './format.ts'
import { type Compression, ndjson } from './ndjson.ts'

export { contentOf, createDigest, prove } from './digest.ts'
export {
  type Content,
  DamagedError,
  type Encoding,
  type FileFormat,
  type Label,
  type StoredFile,
  type WriteBytes,
} from './format.ts'
export type { Compression } from './ndjson.ts'

/** Storage format of segments in sinks that store files. */
export interface FormatOptions {
  readonly format: 'ndjson' | 'parquet'
  /** Only for NDJSON. Parquet always uses zstd internally. */
  readonly compression: Compression
}

/** Creates the format. The libraries for Parquet are loaded only if it is used. */
export async function createFormat({ format, compression }: FormatOptions): Promise<FileFormat> {
  if (format === 'ndjson') return ndjson(compression)
  return (await import('./parquet/index.ts')).parquet
}
