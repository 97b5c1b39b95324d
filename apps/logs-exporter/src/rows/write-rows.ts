import type { RowBatch } from './batch.ts'
import type { Output } from './output.ts'

/**
 * Writes canonical lines of a batch out of the bytes of its rows, without their source and end.
 *
 * @returns how many texts of row n had to be changed; -1, with nothing written, where the row has to be parsed
 */
export type WriteRows = (batch: RowBatch) => (n: number, output: Output) => number
