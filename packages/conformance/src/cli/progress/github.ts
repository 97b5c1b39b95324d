import { appendFile } from 'node:fs/promises'
import { markdownReport } from '../../report/markdown.ts'
import type { Report } from '../../report/model.ts'
import { cellLine, withoutWorkflowCommands } from '../../report/text.ts'
import { resultOf } from '../../verdict/result.ts'

const maxText = 1_000

/**
 * Returns the report as annotations of GitHub Actions, one line per annotation. Failures are errors, drift is a warning,
 * and an expected failure is a notice.
 */
export function toAnnotations(report: Report): string {
  const checks = report.checks
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
    .map(({ id, message = 'no reason given', expectedFailure }) =>
      expectedFailure === undefined
        ? command('error', id, message)
        : command('notice', id, `expected failure: ${expectedFailure}: ${message}`),
    )
  const drift = report.observations
    .filter((observation) => observation.drift)
    .map(({ id, value, baseline }) =>
      command('warning', id, `drift: ${JSON.stringify(baseline) ?? 'nothing'} became ${JSON.stringify(value)}`),
    )
  const { outcome, sentence } = resultOf(report)
  const early = report.status !== 'complete' || (outcome !== 'pass' && checks.length === 0)
  return [...checks, ...drift, ...(early ? [command('error', 'conformance', sentence)] : [])].join('')
}

/**
 * Creates a workflow command. Escapes the special characters of the syntax, so that text of a target cannot inject
 * another one.
 */
function command(level: 'error' | 'warning' | 'notice', title: string, message: string): string {
  const inert = (text: string, max: number) => withoutWorkflowCommands(cellLine(text, max)).replaceAll('%', '%25')
  const data = inert(message, maxText)
  const property = inert(title, 200).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property}::${data}\n`
}

/**
 * Appends the summary of a run to the summary of the job.
 *
 * @param file path from `GITHUB_STEP_SUMMARY`
 */
export async function appendJobSummary(report: Report, file: string): Promise<void> {
  await appendFile(file, withoutWorkflowCommands(markdownReport(report)))
}
