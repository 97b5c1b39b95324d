import { appendFile } from 'node:fs/promises'
import { toMarkdown } from '../report/markdown.ts'
import type { CheckResult, Report } from '../report/model.ts'
import { judge } from '../report/summarize.ts'
import { oneLine } from '../report/text.ts'

const maxText = 1_000

/**
 * The report as annotations of GitHub Actions, one line each: an error for what failed, a warning for drift, a notice for
 * a failure that is known.
 */
export function toAnnotations(report: Report): string {
  const checks = report.checks.flatMap((check) => annotationOf(check))
  const drift = report.observations
    .filter((observation) => observation.drift)
    .map(({ id, value, baseline }) =>
      command('warning', id, `drift: ${JSON.stringify(baseline) ?? 'nothing'} became ${JSON.stringify(value)}`),
    )
  const { outcome, sentence } = judge(report)
  const early = report.status !== 'complete' || (outcome !== 'pass' && checks.length === 0)
  return [...checks, ...drift, ...(early ? [command('error', 'conformance', sentence)] : [])].join('')
}

function annotationOf({ id, outcome, message = 'no reason given', known }: CheckResult): string[] {
  if (outcome !== 'fail' && outcome !== 'error') return []
  return known === undefined
    ? [command('error', id, message)]
    : [command('notice', id, `known to fail: ${known}: ${message}`)]
}

/** A workflow command; what its syntax needs itself is escaped, so that no text of a target can give another command. */
function command(level: 'error' | 'warning' | 'notice', title: string, message: string): string {
  const data = oneLine(message, maxText).replaceAll('%', '%25')
  const property = oneLine(title, 200).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property}::${data}\n`
}

/**
 * Appends the summary of a run to a job's.
 *
 * @param file as in `GITHUB_STEP_SUMMARY`
 */
export async function appendJobSummary(report: Report, file: string): Promise<void> {
  await appendFile(file, toMarkdown(report))
}
