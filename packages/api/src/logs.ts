/** Reads log ranges and day files in arrays of rows or lines, for programs that read many zones or pass rows on. */

export { parseLine } from './logs/line.ts'
export { type LogLine, readLogLines } from './logs/log-file.ts'
export { type Collector, firstAtOrAfter, type PageRows, type UnreadableRow } from './logs/page.ts'
export type { RowBatch } from './logs/read-range.ts'
export { isUnreadable, queryPath } from './logs/request-page.ts'
export { createRowReader, type RowReader, type RowReaderOptions } from './logs/row-reader.ts'
