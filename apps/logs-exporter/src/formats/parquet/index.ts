import type { FileFormat } from '../format.ts'
import { decodeParquet, label } from './decode.ts'
import { encode } from './encode.ts'

/** Typed columns in row groups, compressed by Node's zstd. */
export const parquet: FileFormat = {
  extension: '.parquet',
  mediaType: 'application/vnd.apache.parquet',
  encode,
  decode: decodeParquet,
  label,
}
