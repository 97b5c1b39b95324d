import { durationText, minuteText } from '../../exchange/format-text.ts'
import type { RememberedRun, Report } from '../../exchange/report-model.ts'
import { marks } from '../../verdict/outcomes.ts'
import { countSentences, problemLines, resultOf } from '../../verdict/result.ts'
import { changeLines } from '../change-text.ts'
import { type Html, type HtmlPart, html, render, trustedMarkup } from '../html.ts'
import { areasSection, undecidedSection, unspecifiedSection } from './areas.ts'
import { causesSection } from './causes.ts'
import { pageHead } from './head.ts'
import { markOf, sectionHtml } from './parts.ts'
import { runStrip } from './runs.ts'
import { enhance } from './script.ts'
import { styles } from './styles.ts'

const script = `(${enhance.toString()})()`

/**
 * Returns the report as one self-contained page: the result, the causes, the requirements, and evidence on demand. All text of the report
 * is treated as hostile and escaped.
 *
 * @param runs runs of the memory for the strip of runs; the last one is this run
 */
export function toHtml(report: Report, runs: readonly RememberedRun[] = []): string {
  const { outcome, sentence } = resultOf(report)
  const { target } = report
  const hosts = [target.managementUrl, target.loggingUrl].flatMap((url) => URL.parse(url ?? '')?.host ?? [])
  const ofSentences = hasSentences(report)
  const sections = [
    ['causes', 'Causes', causesSection(report)],
    ['areas', 'Requirements', ofSentences && areasSection(report)],
    ['undecided', 'Undecided', ofSentences && undecidedSection(report)],
    ['unspecified', 'Open points', ofSentences && unspecifiedSection(report)],
    ['run', 'This run', runSection(report)],
  ] as const
  const links = sections.map(([id, title, section]) => section && html`<a href="#${id}">${title}</a>`)
  return render(html`<!doctype html>
<html lang="en">
${pageHead(`${marks[outcome].mark} ${sentence}`, styles, script)}
<body>
<a class="skip-link" href="#main">Skip to the results</a>
<header class="top-line"><span>Conformance · ${target.kind}${hosts.length > 0 && ` · ${[...new Set(hosts)].join(', ')}`}</span><nav aria-label="Sections">${links}</nav></header>
<main id="main" tabindex="-1">
<h1 class="${outcome}">${markOf(outcome)} ${sentence}</h1>
${facts(report)}
${runStrip(runs)}
${notes(report)}
${sections.map(([, , section]) => section)}
</main>
<script>${trustedMarkup(script)}</script>
</body>
</html>
`)
}

/** Whether a sentence is decided. Otherwise bars, lists and counts of sentences say nothing. */
function hasSentences({ status }: Report): boolean {
  return status !== 'not-started' && status !== 'undecided'
}

/** What readers of a page without a final result can do. */
const advices: Readonly<Partial<Record<Report['status'], string>>> = {
  'not-started':
    'No sentence is decided, so nothing is new or fixed. Check what the line above names, and the status of the platform; then run again.',
  undecided: 'No sentence is decided, so nothing is new or fixed. Check the status of the platform; then run again.',
  running:
    'This page is written every 15 seconds. If it stays as it is, the run was killed: "conformance status" says so.',
}

function facts(report: Report): Html {
  const { startedAt, durationMs, requirements, failOn } = report
  const { hold, broken, undecided } = countSentences(requirements, failOn)
  const when = `${minuteText(startedAt)} · ${durationText(durationMs)}`
  if (!hasSentences(report)) return html`<p class="facts">${when}</p>`
  return html`<p class="facts">${when} · <b>${hold}</b> ${hold === 1 ? 'sentence holds' : 'sentences hold'}, <b>${broken}</b> broken, <b>${undecided}</b> undecided</p>`
}

function notes(report: Report): HtmlPart {
  const advice = advices[report.status]
  const problems = problemLines(report)
  // The causes of the report are below.
  const { new: _, still: __, ...others } = changeLines(report)
  const changes = Object.values(others).flat()
  return [
    advice !== undefined && html`<p class="advice">${advice}</p>`,
    problems.length > 0 && html`<ul class="problems">${problems.map((line) => html`<li>${line}</li>`)}</ul>`,
    changes.length > 0 && html`<ul class="changes">${changes.map((line) => html`<li>${line}</li>`)}</ul>`,
  ]
}

function runSection({ target, startedAt, durationMs, contract, seed, status, exitCode, summary }: Report): Html {
  const { passed, failed, skipped, errors, requests } = summary
  const rows = {
    Management: target.managementUrl,
    Logging: target.loggingUrl,
    Started: startedAt,
    Took: durationText(durationMs),
    Contract: Object.entries(contract)
      .map((entry) => entry.join(' '))
      .join(', '),
    Seed: String(seed),
    End: status === 'running' ? undefined : `${status}, exit code ${exitCode}`,
    Checks: `${passed} passed, ${failed} show causes, ${errors} in error, ${skipped} skipped`,
    Requests: String(requests),
  }
  return sectionHtml(
    'run',
    'This run',
    html`<dl class="run">${Object.entries(rows).map(([term, value]) => value !== undefined && html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`,
  )
}
