import { plural } from '@cdn/kit/plural'
import { durationText, escapeMarkdown } from '../exchange/format-text.ts'
import type { Cause, Report } from '../exchange/report-model.ts'
import { marks } from '../verdict/outcomes.ts'
import { coverageLines, problemLines, resultOf } from '../verdict/result.ts'
import { causeFacts, causeTitle, vendorText } from './cause-text.ts'
import { changeLines, moreText } from './change-text.ts'

/** Maximum number of causes, and of lines per list, because a job summary of GitHub Actions is limited to 1 MiB. `report.json` has all. */
const maxCauses = 20

/** Returns the report as Markdown for a job summary. All text of the target is escaped for Markdown and HTML. */
export function markdownReport(report: Report): string {
  const { outcome, sentence } = resultOf(report)
  const { causes } = report
  const more = causes.length > maxCauses ? [`${causes.length - maxCauses} more causes: see the report.`] : []
  return `${[
    `## ${marks[outcome].mark} ${escapeMarkdown(sentence)}`,
    facts(report),
    listOf(problemLines(report)),
    listOf(Object.values(changeLines(report)).flat()),
    ...causes.slice(0, maxCauses).map((cause) => causeBlock(report, cause)),
    ...more,
    coverageLines(report).map(escapeMarkdown).join('  \n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

function listOf(lines: readonly string[]): string {
  const more = lines.length > maxCauses ? [`- ${moreText(lines.length - maxCauses)}`] : []
  return [...lines.slice(0, maxCauses).map((line) => `- ${escapeMarkdown(line)}`), ...more].join('\n')
}

function facts({ target, startedAt, durationMs, contract, seed, summary }: Report): string {
  const urls = [target.managementUrl, target.loggingUrl].filter((url) => url !== undefined).map(escapeMarkdown)
  const versions = Object.entries(contract).map(([name, version]) => `${name} ${version}`)
  return [
    `Target **${target.kind}**${urls.length > 0 ? ` (${urls.join(', ')})` : ''}`,
    `${escapeMarkdown(startedAt)}, ${durationText(durationMs)}, ${plural(summary.requests, 'request')}`,
    `contract ${escapeMarkdown(versions.join(', '))}`,
    `seed ${seed}`,
  ].join(' · ')
}

function causeBlock(report: Report, cause: Cause): string {
  const { undecided, since } = causeFacts(report, cause)
  const { mark } = marks[cause.outcome]
  return [
    `### ${mark} ${escapeMarkdown(causeTitle(cause) + (since && ` (since ${since})`))}`,
    cause.reason === undefined ? '' : `Expected: ${escapeMarkdown(cause.reason)}`,
    undecided.length > 0 ? `${plural(undecided.length, 'sentence')} could not be decided because of it.` : '',
    details('For the vendor', vendorText(report, cause).join('\n\n')),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function details(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`
}
