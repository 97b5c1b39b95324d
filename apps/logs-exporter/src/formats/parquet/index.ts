import type { Format } from '../format.ts'
import { decode, label } from './decode.ts'
import { encode } from './encode.ts'

/** Typed columns, one row group after the other, compressed by Node's own zstd. */
export const parquet: Format = {
  extension: '.parquet',
  mediaType: 'application/vnd.apache.parquet',
  encode,
  decode,
  label,
}
