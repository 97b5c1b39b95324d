import type { FormatConfig } from '../config/config.ts'
import type { FileFormat } from './format.ts'
import { ndjson } from './ndjson.ts'

/** Creates the format. The libraries for Parquet are loaded only if it is used. */
export async function createFormat({ format, compression }: FormatConfig): Promise<FileFormat> {
  if (format === 'ndjson') return ndjson(compression)
  return (await import('./parquet.ts')).parquet
}

const options: Readonly<Record<string, FormatConfig>> = {
  '.ndjson': { format: 'ndjson', compression: 'none' },
  '.ndjson.gz': { format: 'ndjson', compression: 'gzip' },
  '.ndjson.zst': { format: 'ndjson', compression: 'zstd' },
  '.parquet': { format: 'parquet', compression: 'zstd' },
}

/**
 * The format of a stored file. It may differ from the configured format, because the configuration may have changed since.
 *
 * @param extension including its first dot
 * @returns undefined for an unknown extension
 */
export async function formatByExtension(extension: string): Promise<FileFormat | undefined> {
  const match = options[extension]
  return match && createFormat(match)
}
