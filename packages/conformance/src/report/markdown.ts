import { defined } from '@cdn/kit/defined'
import { markdownTable } from '@cdn/kit/markdown-table'
import { curlOf } from './curl.ts'
import { sectionLabel } from './group.ts'
import type { CheckResult, Report } from './model.ts'
import { marks } from './outcomes.ts'
import { coverageLines, plural, resultOf } from './summarize.ts'
import { cellLine, durationText } from './text.ts'
import { undecidedLines } from './undecided.ts'

/** A job summary of GitHub Actions is limited to 1 MiB. So long tables and texts are truncated; `report.json` is not. */
const maxRows = 100
const maxText = 400

/** Returns the report as Markdown for a job summary. All text of the target is escaped for Markdown and HTML. */
export function markdownReport(report: Report): string {
  const { outcome, sentence } = resultOf(report)
  return `${[
    `## ${marks[outcome].mark} ${escapeMarkdown(sentence)}`,
    facts(report),
    counts(report),
    coverageLines(report).map(escapeMarkdown).join('  \n'),
    undecidedList(report),
    checkTable(report, 'fail', 'Failures'),
    checkTable(report, 'error', 'Errors'),
    breachTable(report),
    observationTable(report),
    caseTable(report),
    uncheckedList(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

function facts(report: Report): string {
  const { managementUrl, loggingUrl, kind } = report.target
  const urls = [managementUrl, loggingUrl].filter((url) => url !== undefined).map(escapeMarkdown)
  const contract = Object.entries(report.contract).map(([name, version]) => `${name} ${version}`)
  return [
    `Target **${kind}**${urls.length > 0 ? ` (${urls.join(', ')})` : ''}`,
    `${escapeMarkdown(report.startedAt)}, ${durationText(report.durationMs)}`,
    `contract ${escapeMarkdown(contract.join(', '))}`,
    `seed ${report.seed}`,
  ].join(' · ')
}

function counts({ summary }: Report): string {
  return markdownTable(
    ['Passed', 'Failed', 'Errors', 'Skipped', 'Disabled', 'Requests'],
    [[summary.passed, summary.failed, summary.errors, summary.skipped, summary.disabled, summary.requests].map(String)],
  )
}

function checkTable(report: Report, outcome: 'fail' | 'error', title: string): string {
  const sentences = new Map(
    report.requirements.map(({ id, text, section }) => [id, `${text} (${sectionLabel(section)})`]),
  )
  const checks = report.checks.filter((check) => check.outcome === outcome)
  const rows = checks.map((check) => [
    `\`${code(check.id)}\``,
    check.requirements.map((id) => escapeMarkdown(sentences.get(id) ?? id)).join('<br>') || '–',
    escapeMarkdown(seenIn(check)),
    `${check.source} / ${check.basis}`,
  ])
  const broken = outcome === 'fail' ? 'Breaks' : 'About'
  return section(title, ['Check', broken, 'What happened', 'Source / basis'], rows)
}

function seenIn(check: CheckResult): string {
  const { outcome, message, evidence, expectedFailure } = check
  const expected = evidence?.expected === undefined ? [] : [`Expected: ${evidence.expected}`]
  const seen = evidence?.seen === undefined ? [] : [`Seen: ${evidence.seen}`]
  const listed = expectedFailure === undefined ? [] : [`Expected failure: ${expectedFailure}`]
  const command = outcome === 'fail' ? curlOf(check) : undefined
  const repeat = command === undefined ? [] : [`Repeat: ${command}`]
  return [...listed, message ?? '', ...expected, ...seen, ...repeat].filter((part) => part !== '').join(' — ')
}

function breachTable({ breaches }: Report): string {
  const rows = breaches.map(({ id, source, message, check }) => [
    `\`${code(id)}\``,
    source,
    escapeMarkdown(message),
    `\`${code(check)}\``,
  ])
  return section('Exchanges that break the contract', ['Operation', 'Source', 'Breach', 'During'], rows)
}

function observationTable({ observations }: Report): string {
  const drifted = observations.filter(({ drift }) => drift)
  const rows = drifted.map(({ id, value, baseline }) => [`\`${code(id)}\``, shown(baseline), shown(value)])
  const others = observations.length - drifted.length
  const rest = others > 0 ? `${plural(others, 'observation')} without drift: see the report.` : ''
  return [section('Drift', ['Observation', 'Baseline', 'Now'], rows), rest].filter((part) => part !== '').join('\n\n')
}

function undecidedList(report: Report): string {
  const lines = undecidedLines(report).map((line) => `- ${escapeMarkdown(line)}`)
  return lines.length > 0 ? ['### Not decided in this run', lines.join('\n')].join('\n\n') : ''
}

/** Lists the requirements by the number of cases that exercised them, the fewest first. */
function caseTable({ requirements }: Report): string {
  const rows = requirements
    .filter(({ checks }) => checks.length > 0)
    .toSorted((one, other) => one.cases - other.cases)
    .map(({ id, cases }) => [`\`${code(id)}\``, String(cases)])
  if (rows.length === 0) return ''
  const summary = '<details><summary>Cases that exercised each requirement</summary>'
  return [summary, limitedTable(['Requirement', 'Cases'], rows), '</details>'].join('\n\n')
}

function uncheckedList({ requirements }: Report): string {
  const unchecked = requirements.filter((requirement) => requirement.unchecked !== undefined)
  if (unchecked.length === 0) return ''
  const reasons = [...Map.groupBy(unchecked, (requirement) => defined(requirement.unchecked))].map(
    ([reason, members]) => `- ${escapeMarkdown(reason)} ${members.map(({ id }) => `\`${code(id)}\``).join(', ')}`,
  )
  return [
    `<details><summary>${plural(unchecked.length, 'requirement')} that no check can observe</summary>`,
    reasons.join('\n'),
    '</details>',
  ].join('\n\n')
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `### ${title}\n\n${limitedTable(head, rows)}`
}

function limitedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const more = rows.length > maxRows ? `\n\n${rows.length - maxRows} more: see the report.` : ''
  return `${markdownTable(head, rows.slice(0, maxRows))}${more}`
}

function shown(value: unknown): string {
  return value === undefined ? '–' : escapeMarkdown(JSON.stringify(value) ?? String(value))
}

/** Escapes a text, so that Markdown, HTML and GitHub's extensions (mentions, links, formulas) do not interpret it. */
function escapeMarkdown(text: string): string {
  return cellLine(text, maxText)
    .replace(/[\\`*_[\]()#!~]/g, '\\$&')
    .replace(/[&<>|@$]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('://', ':\\//')
    .replace(/www\./gi, (match) => `${match.slice(0, -1)}\\.`)
}

/** Prepares an id for a code span. Code spans have no escapes, so special characters are replaced. */
function code(id: string): string {
  return cellLine(id, maxText).replace(/[`|<>\\]/g, '·')
}
