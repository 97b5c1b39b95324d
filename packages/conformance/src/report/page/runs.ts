/** The runs of a target: a strip on the page of a report, and the page across nights. The pages need no script and no network. */

import { plural } from '@cdn/kit/plural'
import { dayText, minuteText, operationText } from '../../exchange/format-text.ts'
import type { RememberedRun } from '../../exchange/report-model.ts'
import { hasResult, isOpen, sameTarget, type Track, tracksOf } from '../../verdict/changes.ts'
import type { ShownOutcome } from '../../verdict/outcomes.ts'
import { type Html, type HtmlPart, html, render } from '../html.ts'
import { pageHead } from './head.ts'
import { markOf, sectionHtml } from './parts.ts'
import { styles } from './styles.ts'

/** Maximum number of runs on the page, and in the strip. */
const [shownRuns, stripRuns] = [60, 30]

/** Returns the end of a run as an outcome. A run without a result counts as an error. */
function outcomeOf({ status, exitCode }: RememberedRun): ShownOutcome {
  if (!hasResult({ status })) return 'error'
  return exitCode === 0 ? 'pass' : exitCode === 1 ? 'fail' : 'skip'
}

/** The last runs of the target as a strip of links; nothing for a first run. */
export function runStrip(runs: readonly RememberedRun[]): HtmlPart {
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
<p class="ends"><span>${dayText(first.at).replace(/ \d+$/, '')}</span><a href="nights.html">All nights</a><span>${dayText(last.at).replace(/ \d+$/, '')}</span></p>`
}

/** Returns the page of the last 60 runs of the target of the last run, with a row per cause. All text of the memory is escaped. */
export function runsPage(runs: readonly RememberedRun[]): string {
  const target = runs.at(-1)?.target ?? ''
  const all = sameTarget(runs, target)
  const shown = all.slice(-shownRuns)
  const [kind = '', ...urls] = target.split(' ')
  const hosts = [...new Set(urls.map((url) => URL.parse(url)?.host ?? url))]
  const title = `${plural(shown.length, 'run')} against ${kind === 'live' ? 'the live platform' : `the ${kind}`}`
  const first = shown[0]?.at ?? ''
  const rows = tracksOf(all).filter((track) => isOpen(track) || (track.seen.at(-1) ?? '') >= first)
  return render(html`<!doctype html>
<html lang="en">
${pageHead(title, styles)}
<body class="wide">
<a class="skip-link" href="#main">Skip to the runs</a>
<header class="top-line"><span>Conformance across nights${hosts.length > 0 && ` · ${hosts.join(', ')}`}</span><a href="index.html">The last report</a></header>
<main id="main" tabindex="-1">
<h1>${title}</h1>
${sectionHtml('causes', 'Causes', grid(shown, inOrder(rows)), legend())}
${sectionHtml('runs', 'Runs', runList(shown))}
</main>
</body>
</html>
`)
}

/** Open causes come first, then those that were seen last. */
function inOrder(tracks: readonly Track[]): readonly Track[] {
  const lastOf = ({ seen }: Track) => seen.at(-1) ?? ''
  return tracks.toSorted((one, other) => +isOpen(other) - +isOpen(one) || lastOf(other).localeCompare(lastOf(one)))
}

function grid(shown: readonly RememberedRun[], rows: readonly Track[]): Html {
  const months = [...Map.groupBy(shown, ({ at }) => at.slice(0, 7)).values()]
  const days = Map.groupBy(shown, ({ at }) => at.slice(0, 10))
  const head = shown.map((run) => {
    const isOnly = days.get(run.at.slice(0, 10))?.length === 1
    const time = html`<span class="hidden">${minuteText(run.at)}: ${run.sentence}</span><span aria-hidden="true">${run.at.slice(8, 10)}${!isOnly && html`<small>${run.at.slice(11, 16)}</small>`}</span>`
    const link = safeLink(run.link)
    return html`<th scope="col" class="${outcomeOf(run)}" title="${minuteText(run.at)}: ${run.sentence}">${link === undefined ? time : html`<a href="${link}">${time}</a>`}</th>`
  })
  const body = rows.map(
    (track) =>
      html`<tr><th scope="row"><span class="what">${operationText(track.cause.operation)}: ${track.cause.seen}</span>${stateOf(track)}</th>${shown.map((run) => cell(run, track))}</tr>\n`,
  )
  return html`<div class="scroll" role="group" aria-label="Causes by runs" tabindex="0"><table class="nights">
<thead><tr><td></td>${months.map((some) => html`<th scope="colgroup" colspan="${some.length}">${dayText(some[0]?.at ?? '').replace(/^\d+ /, '')}</th>`)}</tr>
<tr><th scope="col">Cause</th>${head}</tr></thead>
<tbody>${body}</tbody></table></div>
${rows.length === 0 && html`<p>${shown.some(hasResult) ? 'No run showed a cause.' : 'No run had a result.'}</p>`}`
}

/** Whether a cause is open, since when, and its issue. */
function stateOf(track: Track): Html {
  const { cause, fixed, isFlaky } = track
  const link = safeLink(cause.issue)
  const state = isOpen(track) ? `open since ${dayText(cause.since)}` : `fixed on ${dayText(fixed.at(-1) ?? '')}`
  return html`<span class="state">${cause.expected && 'expected, '}${state}</span>${isFlaky && html` <span class="flaky">flaky</span>`}${link !== undefined && html` <a href="${link}">issue ${link.split('/').at(-1)}</a>`}`
}

function cell(run: RememberedRun, { cause, seen, fixed }: Track): Html {
  if (!hasResult(run)) return html`<td class="absent">·<span class="hidden">no result</span></td>`
  if (seen.includes(run.at)) {
    const isExpected = run.causes.some(({ id, expected }) => id === cause.id && expected)
    return html`<td class="${isExpected ? 'expected' : 'fail'}">${markOf(isExpected ? 'skip' : 'fail')}<span class="hidden">seen</span></td>`
  }
  const before = seen.findLast((at) => at < run.at)
  const isGone =
    before === undefined
      ? cause.requirements.every((id) => run.holds.includes(id))
      : fixed.some((at) => at > before && at <= run.at)
  return html`<td class="${isGone ? 'pass' : 'absent'}"><span class="hidden">${isGone ? 'not seen' : 'not decided'}</span></td>`
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
  return html`<p class="key"><span class="pass">not seen</span><span class="fail">seen</span><span class="expected">seen, expected</span>An empty cell: the run did not decide the cause. ·: the run has no result. A cause is open until the checks that showed it pass again, and flaky if it came back within 14 runs. The head of a column links to the report of its run.</p>`
}

/** Returns a link of the memory if it is a relative path or an http(s) URL. */
function safeLink(link: string | undefined): string | undefined {
  return link !== undefined && /^(https?:\/\/|[\w.][\w./-]*$)/.test(link) ? link : undefined
}
