/** Rows of one zone as they were read, still as bytes (design §7): JSON objects of v2, or lines of v1 without their ends. */
export type { RowBatch } from '@cdn/api/batches'
