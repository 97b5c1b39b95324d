/** The runs of a target: a strip on the page of a report, and the page across nights. It needs no script and no network. */

import { type Html, type HtmlPart, html, render } from '@cdn/kit/html'
import { headOf } from '@cdn/kit/page-head'
import type { RememberedRun } from '../../exchange/report-model.ts'
import { minuteText, operationText, plural } from '../../exchange/text.ts'
import { isFlaky, matchOf, type RememberedCause, sameTarget } from '../../verdict/changes.ts'
import type { Shown } from '../../verdict/outcomes.ts'
import { idCode, markOf, sectionHtml } from './parts.ts'
import { styles } from './styles.ts'

/** Maximum number of runs on the page, and in the strip. */
const [shownRuns, stripRuns] = [60, 30]

/** Returns the end of a run as an outcome. A run that is not complete counts as an error. */
function outcomeOf({ status, exitCode }: RememberedRun): Shown {
  if (status !== 'complete') return 'error'
  return exitCode === 0 ? 'pass' : exitCode === 1 ? 'fail' : 'skip'
}

/** The last runs of the target as a strip of links; nothing for a first run. */
export function strip(runs: readonly RememberedRun[]): HtmlPart {
  const last = runs.at(-1)
  const shown = last ? sameTarget(runs, last.target).slice(-stripRuns) : []
  const [first] = shown
  if (!last || !first || shown.length < 2) return undefined
  const items = shown.map((run) => {
    const label = `${minuteText(run.at)}: ${run.sentence}`
    const link = safeLink(run.link)
    const text = html`<span class="hidden">${label}</span>`
    return html`<li class="${outcomeOf(run)}" title="${label}">${link === undefined || run === last ? text : html`<a href="${link}">${text}</a>`}</li>`
  })
  return html`<ol class="strip" aria-label="The last ${plural(shown.length, 'run')}">${items}</ol>
<p class="ends"><span>${shortDay(first.at)}</span><a href="nights.html">All nights</a><span>${shortDay(last.at)}</span></p>`
}

/** Returns the page of the last 60 runs of the target of the last run, with a row per cause. All text of the memory is escaped. */
export function runsPage(runs: readonly RememberedRun[]): string {
  const target = runs.at(-1)?.target ?? ''
  const shown = sameTarget(runs, target).slice(-shownRuns)
  const title = `${plural(shown.length, 'run')} of ${target}`
  const rows = causeRows(shown)
  return render(html`<!doctype html>
<html lang="en">
${headOf(title, styles)}
<body class="wide">
<a class="skip-link" href="#main">Skip to the runs</a>
<header class="top-line"><span>Conformance across nights</span><a href="index.html">The last report</a></header>
<main id="main" tabindex="-1">
<h1>${title}</h1>
${sectionHtml('causes', 'Causes', grid(shown, rows), legend())}
${sectionHtml('runs', 'Runs', runList(shown))}
</main>
</body>
</html>
`)
}

/** Returns the causes of some runs, each once with its newest id. The causes of the last run come first. */
function causeRows(shown: readonly RememberedRun[]): RememberedCause[] {
  const rows: RememberedCause[] = []
  for (const { causes } of shown.toReversed()) for (const cause of causes) if (!matchOf(rows, cause)) rows.push(cause)
  return rows
}

function grid(shown: readonly RememberedRun[], rows: readonly RememberedCause[]): Html {
  const months = [...Map.groupBy(shown, ({ at }) => at.slice(0, 7)).values()]
  const head = shown.map((run) => {
    const day = html`<span class="hidden">${minuteText(run.at)}: ${run.sentence}</span><span aria-hidden="true">${run.at.slice(8, 10)}</span>`
    const link = safeLink(run.link)
    return html`<th scope="col" class="${outcomeOf(run)}" title="${minuteText(run.at)}: ${run.sentence}">${link === undefined ? day : html`<a href="${link}">${day}</a>`}</th>`
  })
  const series = shown.filter(({ status }) => status === 'complete')
  const body = rows.map((cause) => {
    const cells = shown.map((run) => {
      if (run.status !== 'complete') return html`<td class="absent">·<span class="hidden">no result</span></td>`
      const match = matchOf(run.causes, cause)
      if (match)
        return html`<td class="${match.expected ? 'skip' : 'fail'}">${markOf(match.expected ? 'skip' : 'fail')}<span class="hidden">seen</span></td>`
      const holds = cause.requirements.every((id) => run.holds.includes(id))
      return html`<td class="${holds ? 'pass' : 'absent'}"><span class="hidden">${holds ? 'not seen' : 'not decided'}</span></td>`
    })
    const flaky = isFlaky(series, cause) && html` <span class="flaky">flaky</span>`
    return html`<tr><th scope="row"><span class="what">${operationText(cause.operation)}: ${cause.seen}</span>${flaky}${idCode(cause.id)}</th>${cells}</tr>\n`
  })
  return html`<div class="scroll" role="group" aria-label="Causes by runs" tabindex="0"><table class="nights">
<thead><tr><td></td>${months.map((some) => html`<th scope="colgroup" colspan="${some.length}">${monthText(some[0]?.at ?? '')}</th>`)}</tr>
<tr><th scope="col">Cause</th>${head}</tr></thead>
<tbody>${body}</tbody></table></div>
${rows.length === 0 && html`<p>${series.length === 0 ? 'No run was complete.' : 'No complete run showed a cause.'}</p>`}`
}

function runList(shown: readonly RememberedRun[]): Html {
  const items = shown.toReversed().map((run) => {
    const link = safeLink(run.link)
    const time = minuteText(run.at)
    return html`<li>${markOf(outcomeOf(run))} ${link === undefined ? time : html`<a href="${link}">${time}</a>`} ${run.sentence}</li>\n`
  })
  return html`<details><summary>${plural(shown.length, 'run')}, the newest first</summary><ul class="plain">${items}</ul></details>`
}

function legend(): Html {
  return html`<p class="key"><span class="pass">not seen</span><span class="fail">seen</span><span class="skip">seen, expected</span>An empty cell is a run that could not decide it, · a run without a result. A cause is flaky if it came back within 14 runs. The head of a column links to the report of its run.</p>`
}

/** Returns a link of the memory if it is a relative path or an http(s) URL. */
function safeLink(link: string | undefined): string | undefined {
  return link !== undefined && /^(https?:\/\/|[\w.][\w./-]*$)/.test(link) ? link : undefined
}

function shortDay(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

function monthText(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
}
