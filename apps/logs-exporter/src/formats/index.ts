import type { FormatConfig } from '../config/config.ts'
import type { FileFormat } from './format.ts'
import { ndjson } from './ndjson.ts'

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

/** Creates the format. The libraries for Parquet are loaded only if it is used. */
export async function createFormat({ format, compression }: FormatConfig): Promise<FileFormat> {
  if (format === 'ndjson') return ndjson(compression)
  return (await import('./parquet/index.ts')).parquet
}
