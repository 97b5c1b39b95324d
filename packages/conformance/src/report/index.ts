/** The reports, all of them made from one result model. */

export { curlLine } from './curl.ts'
export { rollUp } from './decide.ts'
export { type RunSummary, readHistory } from './history.ts'
export { toHtml } from './html/page.ts'
export { jsonReport, reportSchemaId } from './json.ts'
export { toJunit } from './junit.ts'
export { markdownReport } from './markdown.ts'
export type * from './model.ts'
export { type Coverage, countChecks, coverage, coverageLines, resultSentence } from './summarize.ts'
export { toMatrix } from './terminal.ts'
export { writeReports } from './write.ts'
