import type { Format } from './format.ts'
import { type Compression, ndjson } from './ndjson.ts'

export { contentOf, createDigest, prove } from './digest.ts'
export {
  type Content,
  DamagedError,
  type Encoding,
  type Format,
  type Input,
  type Label,
  type Output,
} from './format.ts'
export type { Compression } from './ndjson.ts'

/** How segments are stored in sinks that hold files. */
export interface FormatOptions {
  readonly format: 'ndjson' | 'parquet'
  /** Of NDJSON; Parquet is always compressed by zstd within. */
  readonly compression: Compression
}

/** Makes the format; what Parquet needs is loaded only where it is used. */
export async function createFormat({ format, compression }: FormatOptions): Promise<Format> {
  if (format === 'ndjson') return ndjson(compression)
  return (await import('./parquet/index.ts')).parquet
}
