import { causeLine } from '../../report/cause-text.ts'
import type { Report } from '../../report/model.ts'
import { cellLine, withoutWorkflowCommands } from '../../report/text.ts'
import { resultOf } from '../../verdict/result.ts'

const maxText = 1_000

/** Returns the causes as annotations of GitHub Actions, one line each: errors, or notices if they are expected. */
export function toAnnotations(report: Report): string {
  const lines = report.causes.map((cause) =>
    cause.reason === undefined
      ? command('error', cause.id, causeLine(cause))
      : command('notice', cause.id, `expected (${cause.reason}): ${causeLine(cause)}`),
  )
  const { outcome, sentence } = resultOf(report)
  const isShown = report.status === 'complete' && (outcome === 'pass' || report.causes.some(({ reason }) => !reason))
  return [...lines, ...(isShown ? [] : [command('error', 'conformance', sentence)])].join('')
}

/**
 * Creates a workflow command. Escapes the special characters of the syntax, so that text of a target cannot inject
 * another one.
 */
function command(level: 'error' | 'notice', title: string, message: string): string {
  const inert = (text: string, max: number) => withoutWorkflowCommands(cellLine(text, max)).replaceAll('%', '%25')
  const data = inert(message, maxText)
  const property = inert(title, 200).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property}::${data}\n`
}
