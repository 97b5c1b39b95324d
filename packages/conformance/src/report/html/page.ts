import { createHash } from 'node:crypto'
import type { RunSummary } from '../history.ts'
import type { Report, Summary } from '../model.ts'
import { marks } from '../outcomes.ts'
import { coverageLines, judge, plural } from '../summarize.ts'
import { duration } from '../text.ts'
import { failures, isTrouble } from './failures.ts'
import { historyChart } from './history-chart.ts'
import { type Html, html, type Part, render, trusted } from './html.ts'
import { checkTable, filters, requirementTable } from './matrix.ts'
import { observations, uncheckedRequirements, wireBreaches } from './observations.ts'
import { overview } from './overview.ts'
import { section } from './parts.ts'
import { enhance } from './script.ts'
import { styles } from './styles.ts'

const script = `(${enhance.toString()})()`

/** Nothing is loaded and nothing is sent; only our own style sheet and script run, named by their hashes. */
const policy = [
  "default-src 'none'",
  `style-src '${hash(styles)}'`,
  `script-src '${hash(script)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/**
 * The report as one self-contained page. All text of the report is taken as hostile and escaped.
 *
 * @param history the runs of the same target, oldest first and this one last; without it the page has no chart
 */
export function toHtml(report: Report, history: readonly RunSummary[] = []): string {
  const { outcome, sentence } = judge(report)
  return render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${marks[outcome].mark} Conformance of the ${report.target.kind}</title>
<link rel="icon" href="data:,">
<style>${trusted(styles)}</style>
</head>
<body>
<a class="skip-link" href="#main">Skip to the results</a>
<header>
<p class="eyebrow">Conformance report · ${report.target.kind}</p>
<h1 class="verdict ${outcome}"><span class="mark" aria-hidden="true">${marks[outcome].mark}</span><span>${sentence}</span></h1>
${facts(report)}
</header>
<main id="main" tabindex="-1">
${counts(report.summary)}
${coverageLines(report).map((line) => html`<p class="coverage">${line}</p>\n`)}
${sections(report, history)}
</main>
<script>${trusted(script)}</script>
</body>
</html>
`)
}

/** The sections of the page in their order; one without content is left out. */
function sections(report: Report, history: readonly RunSummary[]): Part[] {
  const troubled = report.checks.filter(isTrouble)
  const hasErrors = troubled.some((check) => check.outcome === 'error')
  const title = hasErrors ? 'Failures and errors' : 'Failures'
  return [
    troubled.length > 0 && section('failures', title, failures(report)),
    report.wire.length > 0 && section('wire', 'Breaches on the wire', wireBreaches(report.wire)),
    section('overview', 'Areas and sections', overview(report)),
    section('requirements', 'Requirements', filters(), requirementTable(report)),
    report.requirements.some(({ unchecked }) => unchecked !== undefined) &&
      section('unchecked', 'What no check can look at', uncheckedRequirements(report)),
    section('observations', 'What is not shown, and what was observed', observations(report)),
    section('checks', 'Checks', checkTable(report, isTrouble)),
    history.length > 0 && section('history', 'History', historyChart(history)),
  ]
}

function facts({ target, startedAt, durationMs, contract, status, exitCode }: Report): Html {
  const rows = [
    ['Management', target.managementUrl],
    ['Logging', target.loggingUrl],
    ['Started', startedAt],
    ['Took', duration(durationMs)],
    [
      'Contract',
      Object.entries(contract)
        .map((entry) => entry.join(' '))
        .join(', '),
    ],
    ['Run', `${status}, exit code ${exitCode}`],
  ] as const
  return html`<dl class="facts">${rows.map(([term, value]) => value !== undefined && html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

function counts(summary: Summary): Html {
  const tiles = [
    ['pass', summary.passed],
    ['fail', summary.failed],
    ['error', summary.errors],
    ['skip', summary.skipped],
    ['disabled', summary.disabled],
  ] as const
  return html`<ul class="tiles" aria-label="Checks by outcome">${tiles.map(
    ([outcome, count]) =>
      html`<li class="${count > 0 ? outcome : 'none'}"><b>${count}</b> <span><span class="mark" aria-hidden="true">${marks[outcome].mark}</span>${outcome === 'error' ? 'errors' : marks[outcome].word}</span></li>\n`,
  )}</ul>
<p class="note">Checks, with ${plural(summary.requests, 'request')} in all.</p>`
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
