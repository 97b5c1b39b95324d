/** The reports: every one is made from the one result model. */

export { curlLine } from './curl.ts'
export { type RunSummary, readHistory } from './history.ts'
export { toHtml } from './html/page.ts'
export { reportSchemaId, toJson } from './json.ts'
export { toJunit } from './junit.ts'
export { toMarkdown } from './markdown.ts'
export type * from './model.ts'
export { type Coverage, countChecks, coverage, coverageLines, rollUp, verdict } from './summarize.ts'
export { toMatrix } from './terminal.ts'
export { writeReports } from './write.ts'
