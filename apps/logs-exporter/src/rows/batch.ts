import type { RowBatch as ApiRowBatch } from '@cdn/api/batches'

/** Rows of a zone as bytes, with the start, end and time of each row: JSON objects of version 2, or lines of version 1. */
export type LineBatch = Pick<ApiRowBatch, 'bytes' | 'starts' | 'ends' | 'times' | 'end'>

/** Origin of rows: the value of the column `source`. */
export type BatchSource = 'v2' | 'v1'
