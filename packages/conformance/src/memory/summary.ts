/** What the memory keeps of a run. */
import type { RememberedRun, Report } from '../exchange/report-model.ts'
import { causeClause } from '../report/cause-text.ts'
import { toRememberedRun } from '../verdict/changes.ts'

/**
 * Summarizes a report for the memory. A cause without `since` starts with this run, so call `withChanges` before.
 *
 * @param earlier runs before this one
 * @param link address of the report
 */
export function summaryOf(report: Report, earlier: readonly RememberedRun[] = [], link?: string): RememberedRun {
  return toRememberedRun(report, causeClause, earlier, link)
}
