import { type Html, type HtmlPart, html, render, trusted } from '@cdn/kit/html'
import { headOf } from '@cdn/kit/page-head'
import type { Changes, Report, ReportSummary, Transition } from '../model.ts'
import { marks } from '../outcome.ts'
import { coverageLines, resultOf } from '../result.ts'
import { durationText, minuteText, plural, timesText, transitionTitles } from '../text.ts'
import { failures, isProblem } from './failures.ts'
import { checkTable, filters, requirementTable } from './matrix.ts'
import { breachTable, observations, uncheckedRequirements } from './observations.ts'
import { overview } from './overview.ts'
import { idCode, idLink, markOf, sectionHtml } from './parts.ts'
import { enhance } from './script.ts'
import { styles } from './styles.ts'

const script = `(${enhance.toString()})()`

/** Returns the report as one self-contained page. All text of the report is treated as hostile and escaped. */
export function toHtml(report: Report): string {
  const { outcome, sentence } = resultOf(report)
  return render(html`<!doctype html>
<html lang="en">
${headOf(`${marks[outcome].mark} Conformance of the ${report.target.kind}`, styles, script)}
<body>
<a class="skip-link" href="#main">Skip to the results</a>
<header>
<p class="eyebrow">Conformance report · ${report.target.kind}</p>
<h1 class="result ${outcome}">${markOf(outcome)}<span>${sentence}</span></h1>
${facts(report)}
</header>
<main id="main" tabindex="-1">
${report.changes && changes(report, report.changes)}
${counts(report.summary)}
${coverageLines(report).map((line) => html`<p class="coverage">${line}</p>\n`)}
${sections(report)}
</main>
<script>${trusted(script)}</script>
</body>
</html>
`)
}

/** The sections of the page in order, without empty ones. */
function sections(report: Report): HtmlPart[] {
  const problems = report.checks.filter(isProblem)
  const hasErrors = problems.some((check) => check.outcome === 'error')
  const title = hasErrors ? 'Failures and errors' : 'Failures'
  return [
    problems.length > 0 && sectionHtml('failures', title, failures(report)),
    report.breaches.length > 0 &&
      sectionHtml('breaches', 'Exchanges that break the contract', breachTable(report.breaches)),
    sectionHtml('overview', 'Areas and sections', overview(report)),
    sectionHtml('requirements', 'Requirements', filters(), requirementTable(report)),
    report.requirements.some(({ unchecked }) => unchecked !== undefined) &&
      sectionHtml('unchecked', 'What no check can observe', uncheckedRequirements(report)),
    sectionHtml('observations', 'Unspecified behaviour and observations', observations(report)),
    sectionHtml('checks', 'Checks', checkTable(report, isProblem)),
  ]
}

/** What changed since the last night, and a link to the page across nights. */
function changes({ requirements }: Report, { lastNight, transitions }: Changes): Html {
  const known = new Set(requirements.map(({ id }) => id))
  const item = (one: Transition) => {
    const id = one.kind === 'drift' ? idCode(one.id) : idLink(known.has(one.id) ? 'requirement' : 'check', one.id)
    const times = timesText(one)
    return html`<li>${id}${times && html` <span class="note">${times}</span>`}</li>\n`
  }
  const lists = Object.entries(transitionTitles).map(([kind, title]) => {
    const all = transitions.filter((one) => one.kind === kind)
    return (
      all.length > 0 && html`<h3>${title} <span class="count">${all.length}</span></h3>\n<ul>${all.map(item)}</ul>\n`
    )
  })
  const since = lastNight === undefined ? 'The first night of this target' : `Changes since ${minuteText(lastNight)}`
  return sectionHtml(
    'changes',
    since,
    transitions.length > 0 ? lists : html`<p>None.</p>`,
    html`<p class="note"><a href="nights.html">All nights</a></p>`,
  )
}

function facts({ target, startedAt, durationMs, contract, seed, status, exitCode }: Report): Html {
  const versions = Object.entries(contract).map((entry) => entry.join(' '))
  const rows = {
    Management: target.managementUrl,
    Logging: target.loggingUrl,
    Started: startedAt,
    Took: durationText(durationMs),
    Contract: versions.join(', '),
    Seed: String(seed),
    Run: `${status}, exit code ${exitCode}`,
  }
  return html`<dl class="facts">${Object.entries(rows).map(([term, value]) => value !== undefined && html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

function counts(summary: ReportSummary): Html {
  const tiles = [
    ['pass', summary.passed],
    ['fail', summary.failed],
    ['error', summary.errors],
    ['skip', summary.skipped],
    ['disabled', summary.disabled],
  ] as const
  return html`<ul class="tiles" aria-label="Checks by outcome">${tiles.map(
    ([outcome, count]) =>
      html`<li class="${count > 0 ? outcome : 'none'}"><b>${count}</b> <span>${markOf(outcome)}${outcome === 'error' ? 'errors' : marks[outcome].word}</span></li>\n`,
  )}</ul>
<p class="note">Checks, with ${plural(summary.requests, 'request')} in all.</p>`
}
