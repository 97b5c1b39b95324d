import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { type Html, type HtmlPart, html, render, trusted } from '@cdn/kit/html'
import { headOf } from '@cdn/kit/page-head'
import { unobservable } from '../../cases/unspecified/unobservable.ts'
import { marks } from '../../verdict/outcomes.ts'
import { coverageLines, resultOf } from '../../verdict/result.ts'
import { curlLine, exchangeText } from '../evidence.ts'
import type { Changes, CheckResult, Exchange, ExchangeBreach, Report, ReportSummary, Transition } from '../model.ts'
import {
  cellLine,
  changesTitle,
  durationText,
  minuteText,
  plural,
  sectionLabel,
  timesText,
  transitionTitles,
} from '../text.ts'
import { anchor, badge, idCode, idLink, markOf, sectionHtml, tableHtml } from './parts.ts'
import { enhance } from './script.ts'
import { styles } from './styles.ts'
import { checkTable, filters, overview, requirementTable } from './tables.ts'

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
  const hasErrors = report.checks.some(({ outcome }) => outcome === 'error')
  const problems = failures(report)
  return [
    problems.length > 0 && sectionHtml('failures', hasErrors ? 'Failures and errors' : 'Failures', problems),
    report.breaches.length > 0 &&
      sectionHtml('breaches', 'Exchanges that break the contract', breachTable(report.breaches)),
    sectionHtml('overview', 'Areas and sections', overview(report)),
    sectionHtml('requirements', 'Requirements', filters(), requirementTable(report)),
    report.requirements.some(({ unchecked }) => unchecked !== undefined) &&
      sectionHtml('unchecked', 'What no check can observe', uncheckedRequirements(report)),
    sectionHtml('observations', 'Unspecified behaviour and observations', observations(report)),
    sectionHtml('checks', 'Checks', checkTable(report)),
  ]
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
  return sectionHtml(
    'changes',
    changesTitle(lastNight),
    transitions.length > 0 ? lists : html`<p>None.</p>`,
    html`<p class="note"><a href="nights.html">All nights</a></p>`,
  )
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

/** The checks that failed, then the checks in error. Only the first check is expanded. */
function failures(report: Report): Html[] {
  const failedFirst = ['fail', 'error'].flatMap((outcome) => report.checks.filter((check) => check.outcome === outcome))
  return failedFirst.map((check, index) => failure(report, check, index === 0))
}

function failure({ requirements, changes }: Report, check: CheckResult, open: boolean): Html {
  const { id, outcome, message = 'no reason given', evidence, source, basis } = check
  const sentences = check.requirements.map((id) => {
    const { text, section = '' } = requirements.find((requirement) => requirement.id === id) ?? {}
    return html`<p>${text !== undefined && html`<q>${text}</q> <span class="section">${sectionLabel(section)}</span> `}${idLink('requirement', id)}</p>`
  })
  const since = changes?.failingSince[id]
  const facts: Readonly<Record<string, HtmlPart>> = {
    [outcome === 'fail' ? 'Breaks' : 'About']: sentences.length > 0 && sentences,
    'Failing since': since && minuteText(since),
    'Expected failure': check.expectedFailure,
    Expected: evidence?.expected,
    Seen: evidence?.seen,
    Case: evidence?.calls && html`<code>${JSON.stringify(evidence.calls)}</code>`,
  }
  const origin = basis === source ? source : `${source}, through ${basis}`
  return html`<details class="failure ${outcome}" id="${anchor('check', id)}"${open && html` open`}>
<summary>${badge(outcome)}<span class="what">${idCode(id)}<span class="why">${cellLine(message)}</span></span></summary>
<div class="body">
<dl>${Object.entries(facts).map(([term, text]) => text !== undefined && text !== false && html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>
<p class="note">Source: ${origin} · ${check.effect} · ${plural(check.requests, 'request')} · ${durationText(check.durationMs)}</p>
${evidence?.exchanges.map((one, index) => exchange(one, index + 1))}
</div>
</details>
`
}

function exchange(one: Exchange, number: number): Html {
  return html`<h3>Exchange ${number} <span class="note">${durationText(one.durationMs)}</span></h3>
${block(`Exchange ${number}`, exchangeText(one))}
<p class="note">Command that repeats it, with variables for the credentials:</p>
${block(`Command that repeats exchange ${number}`, curlLine(one.request))}
`
}

function block(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}

function breachTable(breaches: readonly ExchangeBreach[]): Html {
  return tableHtml(
    'Exchanges that break the contract',
    [
      { head: 'Operation', cell: ({ id }) => idCode(id) },
      { head: 'Source', cell: ({ source }) => source },
      { head: 'Breach', cell: ({ message }) => message },
      { head: 'Seen during', cell: ({ check }) => idLink('check', check) },
    ],
    breaches,
  )
}

const unspecified = Object.values(contracts).flatMap((contract) => contract.unspecified)

/** All observations, those with drift first, and the unspecified points without an observation. */
function observations({ observations: all }: Report): Html {
  const textOf = (id: string) => unspecified.find((point) => point.id === id)?.text
  const code = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`
  const drifted = html`<span class="badge error"><span class="mark" aria-hidden="true">≠</span>drift</span>`
  const table = tableHtml(
    'Observations',
    [
      { head: 'Point', cell: ({ id }) => html`${textOf(id) && html`<p>${textOf(id)}</p>`}${idCode(id)}` },
      { head: 'Observed', cell: ({ value }) => code(value) },
      { head: 'Baseline', cell: ({ baseline }) => (baseline === undefined ? '–' : code(baseline)) },
      { head: 'Drift', cell: ({ drift }) => (drift ? drifted : 'none') },
    ],
    all.toSorted((one, other) => Number(other.drift) - Number(one.drift)),
  )
  const others = unspecified.filter(({ id }) => !all.some((one) => one.id === id))
  return html`${all.length > 0 ? table : html`<p>Nothing was observed.</p>`}
<details><summary>${plural(others.length, 'point')} that the spec leaves open, without an observation</summary>
${tableHtml(
  'Points without an observation',
  [
    { head: 'Section', cell: ({ section }) => html`<span class="section">${sectionLabel(section)}</span>` },
    { head: 'Point', cell: ({ id, text }) => html`${text} ${idCode(id)}` },
    { head: 'Why no probe can observe it', cell: ({ id }) => unobservable[id] },
  ],
  others,
)}
</details>`
}

function uncheckedRequirements({ requirements }: Report): Html {
  const reasons = Map.groupBy(
    requirements.filter(({ unchecked }) => unchecked !== undefined),
    ({ unchecked }) => defined(unchecked),
  )
  const items = [...reasons].map(
    ([reason, members]) => html`<dt>${reason}</dt>
<dd><ul class="plain">${members.map(({ id, section, text }) => html`<li>${text} <span class="section">${sectionLabel(section)}</span> ${idCode(id)}</li>\n`)}</ul></dd>
`,
  )
  return html`<dl class="reasons">${items}</dl>`
}
