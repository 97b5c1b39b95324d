import { sectionLabel } from './group.ts'
import type { CheckResult, Report } from './model.ts'
import { marks } from './outcomes.ts'
import { coverageLines, judge, plural } from './summarize.ts'
import { duration, oneLine } from './text.ts'

/** A job summary of GitHub Actions holds 1 MiB: long tables and texts are cut, `report.json` has all. */
const maxRows = 100
const maxText = 400

/** The report as Markdown for a job summary. Every text of the target is escaped for Markdown and HTML. */
export function toMarkdown(report: Report): string {
  const { outcome, sentence } = judge(report)
  return `${[
    `## ${marks[outcome].mark} ${escapeMarkdown(sentence)}`,
    facts(report),
    counts(report),
    coverageLines(report).map(escapeMarkdown).join('  \n'),
    checkTable(report, 'fail', 'Failures'),
    checkTable(report, 'error', 'Errors'),
    wireTable(report),
    observationTable(report),
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
    `${escapeMarkdown(report.startedAt)}, ${duration(report.durationMs)}`,
    `contract ${escapeMarkdown(contract.join(', '))}`,
  ].join(' · ')
}

function counts({ summary }: Report): string {
  return table(
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
    `${check.ground} / ${check.through}`,
  ])
  const broken = outcome === 'fail' ? 'Breaks' : 'About'
  return section(title, ['Check', broken, 'What happened', 'Ground / through'], rows)
}

function seenIn({ message, evidence, known }: CheckResult): string {
  const expected = evidence?.expected === undefined ? [] : [`Expected: ${evidence.expected}`]
  const seen = evidence?.seen === undefined ? [] : [`Seen: ${evidence.seen}`]
  const listed = known === undefined ? [] : [`Known to fail: ${known}`]
  return [...listed, message ?? '', ...expected, ...seen].filter((part) => part !== '').join(' — ')
}

function wireTable({ wire }: Report): string {
  const rows = wire.map(({ id, ground, message, check }) => [
    `\`${code(id)}\``,
    ground,
    escapeMarkdown(message),
    `\`${code(check)}\``,
  ])
  return section('Breaches on the wire', ['Operation', 'Ground', 'Breach', 'During'], rows)
}

function observationTable({ observations }: Report): string {
  const drifted = observations.filter(({ drift }) => drift)
  const rows = drifted.map(({ id, value, baseline }) => [`\`${code(id)}\``, shown(baseline), shown(value)])
  const others = observations.length - drifted.length
  const rest = others > 0 ? `${plural(others, 'observation')} without drift: see the report.` : ''
  return [section('Drift', ['Observation', 'Baseline', 'Now'], rows), rest].filter((part) => part !== '').join('\n\n')
}

function uncheckedList({ requirements }: Report): string {
  const unchecked = requirements.filter((requirement) => requirement.unchecked !== undefined)
  if (unchecked.length === 0) return ''
  const reasons = [...Map.groupBy(unchecked, (requirement) => requirement.unchecked ?? '')].map(
    ([reason, members]) => `- ${escapeMarkdown(reason)} ${members.map(({ id }) => `\`${code(id)}\``).join(', ')}`,
  )
  return [
    `<details><summary>${plural(unchecked.length, 'requirement')} that no check can look at</summary>`,
    reasons.join('\n'),
    '</details>',
  ].join('\n\n')
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const more = rows.length > maxRows ? `\n\n${rows.length - maxRows} more: see the report.` : ''
  return `### ${title}\n\n${table(head, rows.slice(0, maxRows))}${more}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function shown(value: unknown): string {
  return value === undefined ? '–' : escapeMarkdown(JSON.stringify(value) ?? String(value))
}

/** Text that Markdown, HTML and GitHub's own marks (mentions, links, formulas) leave alone. */
function escapeMarkdown(text: string): string {
  return oneLine(text, maxText)
    .replace(/[\\`*_[\]()#!~]/g, '\\$&')
    .replace(/[&<>|@$]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('://', ':\\//')
    .replace(/www\./gi, (match) => `${match.slice(0, -1)}\\.`)
}

/** An id for a code span, where no escape works. */
function code(id: string): string {
  return oneLine(id, maxText).replace(/[`|<>\\]/g, '·')
}
