import { defined } from '@cdn/kit/defined'
import { markdownTable } from '@cdn/kit/markdown-table'
import { marks, undecidedByReason } from '../verdict/outcomes.ts'
import { coverageLines, resultOf } from '../verdict/result.ts'
import { curlOf } from './evidence.ts'
import type { CheckResult, Report } from './model.ts'
import {
  cellLine,
  changesTitle,
  durationText,
  minuteText,
  plural,
  sectionLabel,
  timesText,
  transitionTitles,
} from './text.ts'

/** A job summary of GitHub Actions is limited to 1 MiB. So long tables and texts are truncated; `report.json` is not. */
const maxRows = 100
const maxText = 400

/** Returns the report as Markdown for a job summary. All text of the target is escaped for Markdown and HTML. */
export function markdownReport(report: Report): string {
  const { outcome, sentence } = resultOf(report)
  const { requests, passed, failed, errors, skipped, disabled } = report.summary
  return `${[
    `## ${marks[outcome].mark} ${escapeMarkdown(sentence)}`,
    facts(report),
    changeList(report),
    markdownTable(
      ['Passed', 'Failed', 'Errors', 'Skipped', 'Disabled', 'Requests'],
      [[passed, failed, errors, skipped, disabled, requests].map(String)],
    ),
    coverageLines(report).map(escapeMarkdown).join('  \n'),
    undecidedList(report),
    checkTable(report, 'fail', '### Failures'),
    checkTable(report, 'error', '### Errors'),
    table(
      '### Exchanges that break the contract',
      ['Operation', 'Source', 'Breach', 'During'],
      report.breaches.map(({ id, source, message, check }) => [code(id), source, escapeMarkdown(message), code(check)]),
    ),
    ...drift(report),
    caseTable(report),
    uncheckedList(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

function facts({ target, startedAt, durationMs, contract, seed }: Report): string {
  const urls = [target.managementUrl, target.loggingUrl].filter((url) => url !== undefined).map(escapeMarkdown)
  const versions = Object.entries(contract).map(([name, version]) => `${name} ${version}`)
  return [
    `Target **${target.kind}**${urls.length > 0 ? ` (${urls.join(', ')})` : ''}`,
    `${escapeMarkdown(startedAt)}, ${durationText(durationMs)}`,
    `contract ${escapeMarkdown(versions.join(', '))}`,
    `seed ${seed}`,
  ].join(' · ')
}

/** Lists what changed since the last night. Without a history, it is empty. */
function changeList({ changes }: Report): string {
  if (!changes) return ''
  const { lastNight, transitions } = changes
  const lines = Object.entries(transitionTitles).flatMap(([kind, title]) =>
    transitions
      .filter((one) => one.kind === kind)
      .map((one) => `- ${title}: ${code(one.id)}${timesText(one) && ` (${timesText(one)})`}`),
  )
  const more = lines.length > maxRows ? [`- ${lines.length - maxRows} more: see the report.`] : []
  return `### ${changesTitle(lastNight)}\n\n${lines.length > 0 ? [...lines.slice(0, maxRows), ...more].join('\n') : 'None.'}`
}

function checkTable({ requirements, checks, changes }: Report, outcome: 'fail' | 'error', title: string): string {
  const sentences = new Map(requirements.map(({ id, text, section }) => [id, `${text} (${sectionLabel(section)})`]))
  const rows = checks
    .filter((check) => check.outcome === outcome)
    .map((check) => [
      code(check.id),
      check.requirements.map((id) => escapeMarkdown(sentences.get(id) ?? id)).join('<br>') || '–',
      escapeMarkdown(seenIn(check, changes?.failingSince[check.id])),
      `${check.source} / ${check.basis}`,
    ])
  return table(title, ['Check', outcome === 'fail' ? 'Breaks' : 'About', 'What happened', 'Source / basis'], rows)
}

function seenIn(check: CheckResult, since: string | undefined): string {
  const { message, evidence, expectedFailure } = check
  const facts = [
    ['Expected failure: ', expectedFailure],
    ['', message],
    ['Expected: ', evidence?.expected],
    ['Seen: ', evidence?.seen],
    ['Repeat: ', curlOf(check)],
  ] as const
  const seen = facts.flatMap(([name, text]) => (text ? [name + text] : [])).join(' — ')
  return since === undefined ? seen : `${seen} (failing since ${minuteText(since)})`
}

function drift({ observations }: Report): string[] {
  const drifted = observations.filter((observation) => observation.drift)
  const shown = (value: unknown) => (value === undefined ? '–' : escapeMarkdown(JSON.stringify(value)))
  const rows = drifted.map(({ id, value, baseline }) => [code(id), shown(baseline), shown(value)])
  const others = observations.length - drifted.length
  const rest = others > 0 ? `${plural(others, 'observation')} without drift: see the report.` : ''
  return [table('### Drift', ['Observation', 'Baseline', 'Now'], rows), rest]
}

function undecidedList(report: Report): string {
  const lines = undecidedByReason(report, 'spec').map(
    ([reason, ids]) => `- ${escapeMarkdown(`${reason}: ${ids.join(', ')}`)}`,
  )
  return lines.length > 0 ? `### Not decided in this run\n\n${lines.join('\n')}` : ''
}

/** Lists the requirements by the number of cases that exercised them, the fewest first. */
function caseTable({ requirements }: Report): string {
  const rows = requirements
    .filter(({ checks }) => checks.length > 0)
    .toSorted((one, other) => one.cases - other.cases)
    .map(({ id, cases }) => [code(id), String(cases)])
  return details('Cases that exercised each requirement', table('', ['Requirement', 'Cases'], rows))
}

function uncheckedList({ requirements }: Report): string {
  const unchecked = requirements.filter((requirement) => requirement.unchecked !== undefined)
  const reasons = [...Map.groupBy(unchecked, (requirement) => defined(requirement.unchecked))].map(
    ([reason, members]) => `- ${escapeMarkdown(reason)} ${members.map(({ id }) => code(id)).join(', ')}`,
  )
  return details(`${plural(unchecked.length, 'requirement')} that no check can observe`, reasons.join('\n'))
}

function details(summary: string, content: string): string {
  return content === '' ? '' : `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`
}

/** Creates a table of limited length. Without rows, it is empty. */
function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const more = rows.length > maxRows ? `${rows.length - maxRows} more: see the report.` : ''
  const parts = [title, markdownTable(head, rows.slice(0, maxRows)), more]
  return rows.length === 0 ? '' : parts.filter((part) => part !== '').join('\n\n')
}

/** Escapes a text, so that Markdown, HTML and GitHub's extensions (mentions, links, formulas) do not interpret it. */
export function escapeMarkdown(text: string): string {
  return cellLine(text, maxText)
    .replace(/[\\`*_[\]()#!~]/g, '\\$&')
    .replace(/[&<>|@$]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('://', ':\\//')
    .replace(/www\./gi, (match) => `${match.slice(0, -1)}\\.`)
}

/** Shows an id as a code span. Code spans have no escapes, so special characters are replaced. */
function code(id: string): string {
  return `\`${cellLine(id, maxText).replace(/[`|<>\\]/g, '·')}\``
}
