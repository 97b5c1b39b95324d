import type { FormatConfig } from '../config/config.ts'
import type { FileFormat } from './format.ts'
import { createFormat } from './index.ts'

const options: Readonly<Record<string, FormatConfig>> = {
  '.ndjson': { format: 'ndjson', compression: 'none' },
  '.ndjson.gz': { format: 'ndjson', compression: 'gzip' },
  '.ndjson.zst': { format: 'ndjson', compression: 'zstd' },
  '.parquet': { format: 'parquet', compression: 'zstd' },
}

/**
 * The format of a stored file. If the configuration has changed since, it differs from the configured format.
 *
 * @param extension including its first dot
 * @returns undefined for an unknown extension
 */
export async function formatByExtension(extension: string): Promise<FileFormat | undefined> {
  const match = options[extension]
  return match && createFormat(match)
}
