import type { FileFormat } from '../format.ts'
import { decodeParquet, label } from './decode.ts'
import { encode } from './encode.ts'

/** Typed columns in row groups. Node's zstd compresses them. */
export const parquet: FileFormat = {
  extension: '.parquet',
  mediaType: 'application/vnd.apache.parquet',
  encode,
  decode: decodeParquet,
  label,
}
