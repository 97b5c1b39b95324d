import type { Format } from './format.ts'
import { createFormat, type FormatOptions } from './index.ts'

const options: Readonly<Record<string, FormatOptions>> = {
  '.ndjson': { format: 'ndjson', compression: 'none' },
  '.ndjson.gz': { format: 'ndjson', compression: 'gzip' },
  '.ndjson.zst': { format: 'ndjson', compression: 'zstd' },
  '.parquet': { format: 'parquet', compression: 'zstd' },
}

/**
 * The format of a stored file: another one than is written now, where the configuration was changed since.
 *
 * @param extension with its first dot
 * @returns undefined where no format has it
 */
export async function formatByExtension(extension: string): Promise<Format | undefined> {
  const found = options[extension]
  return found && createFormat(found)
}
