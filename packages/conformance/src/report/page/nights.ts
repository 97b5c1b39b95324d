/** The page across nights: requirements by nights. It needs no script and no network. */

import { type Html, html, render } from '@cdn/kit/html'
import { headOf } from '@cdn/kit/page-head'
import type { Letter, Night } from '../../memory/history.ts'
import { standingOf } from '../../memory/transitions.ts'
import { marks, type Shown } from '../../verdict/outcomes.ts'
import { minuteText, plural } from '../text.ts'
import { idCode, sectionHtml } from './parts.ts'
import { styles } from './styles.ts'

const shownNights = 60

const shownAs: Readonly<Record<Letter, Shown>> = {
  ...{ p: 'pass', f: 'fail', k: 'fail', s: 'skip', x: 'disabled', e: 'error', d: 'unchecked' },
}

const css = `${styles}
body { max-width: 110rem }
.nights { table-layout: fixed; font-size: .74rem; border-collapse: separate; border-spacing: 1px 2px }
.nights th, .nights td { padding: 0; border: 0; text-align: center; line-height: 1rem; overflow: hidden }
.nights col.name { width: 22rem }
.nights tbody th, .nights thead th:first-child { text-align: left; padding: 0 .5rem; font-weight: 400; white-space: nowrap; text-overflow: ellipsis }
.nights td, .nights thead a { background: var(--soft); color: var(--tone); border-radius: 2px; font-weight: 700 }
.nights thead th { font-size: .64rem }
.nights thead a { display: block; text-decoration: none }
.nights .absent { background: none }
@media (max-width: 48rem) { .nights { width: 70rem } }
`

/** Returns the page of the last 60 nights of the target of the last night. All text of the history is escaped. */
export function nightsPage(nights: readonly Night[]): string {
  const target = nights.at(-1)?.target ?? ''
  const shown = nights.filter((night) => night.target === target).slice(-shownNights)
  const ids = [...new Set(shown.flatMap((night) => Object.keys(night.requirements)))]
  const letters = (id: string) => shown.map((night) => letterOf(night, id))
  const isQuiet = (id: string) => letters(id).every((letter) => letter === undefined || 'pd'.includes(letter))
  const quiet = ids.filter(isQuiet)
  const title = `${plural(shown.length, 'night')} of ${target}`
  return render(html`<!doctype html>
<html lang="en">
${headOf(title, css)}
<body>
<a class="skip-link" href="#main">Skip to the nights</a>
<header><p class="eyebrow">Conformance across nights</p><h1>${title}</h1></header>
<main id="main" tabindex="-1">
${sectionHtml(
  'requirements',
  'Requirements that did not always pass',
  grid('Requirements by nights', shown, loudestFirst(shown, ids, isQuiet)),
  legend(),
  html`<details><summary>${plural(quiet.length, 'requirement')} passed in each night that checked them</summary>
${grid('Requirements that always passed', shown, quiet)}</details>`,
)}
</main>
</body>
</html>
`)
}

function letterOf(night: Night, id: string): Letter | undefined {
  return Object.hasOwn(night.requirements, id) ? night.requirements[id] : undefined
}

/** Requirements that fail now come first, then the others with a failure, then the undecided ones. */
function loudestFirst(nights: readonly Night[], ids: readonly string[], isQuiet: (id: string) => boolean) {
  const last = nights.at(-1)
  const rank = (id: string) => {
    if (last && letterOf(last, id) === 'f') return 0
    return nights.some((night) => letterOf(night, id) === 'f') ? 1 : 2
  }
  return ids.filter((id) => !isQuiet(id)).sort((one, other) => rank(one) - rank(other))
}

function grid(label: string, nights: readonly Night[], ids: readonly string[]): Html {
  const complete = nights.filter(({ status }) => status === 'complete')
  const heads = nights.map((night) => {
    const tone = night.status === 'complete' ? (night.exitCode === 0 ? 'pass' : 'fail') : 'error'
    const words = `${night.at.slice(8, 10)}: ${minuteText(night.at)}, ${night.status}, exit code ${night.exitCode}`
    const day = night.at.slice(8, 10)
    const link = safeLink(night.link)
    return html`<th scope="col">${link === undefined ? day : html`<a class="${tone}" href="${link}" title="${words}" aria-label="${words}">${day}</a>`}</th>`
  })
  const rows = ids.map((id) => {
    const { firstFailed, flaky } = standingOf(complete, 'requirements', id)
    const since = firstFailed && `failing since ${minuteText(firstFailed)}`
    const title = [id, since, flaky && 'flaky'].filter((part) => part).join(', ')
    return html`<tr><th scope="row" title="${title}">${idCode(id)}${flaky && html` <span class="note">flaky</span>`}</th>${cells(nights, id)}</tr>\n`
  })
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table class="nights">
<colgroup><col class="name"><col span="${nights.length}"></colgroup>
<thead><tr><th scope="col">Requirement</th>${heads}</tr></thead>
<tbody>${rows}</tbody></table></div>`
}

/** The cells of a row. Equal outcomes in a row share one cell, so that the page stays small. */
function cells(nights: readonly Night[], id: string): Html[] {
  const runs: { readonly letter: Letter | undefined; count: number }[] = []
  for (const night of nights) {
    const letter = letterOf(night, id)
    const last = runs.at(-1)
    if (last && last.letter === letter) last.count++
    else runs.push({ letter, count: 1 })
  }
  return runs.map(({ letter, count }) => {
    const span = count > 1 && html` colspan="${count}"`
    if (letter === undefined) return html`<td class="absent"${span}></td>`
    const { mark, word } = letter === 'd' ? { mark: '·', word: 'not due' } : marks[shownAs[letter]]
    const what = `${letter === 'k' ? 'expected failure' : word}, ${plural(count, 'night')}`
    return html`<td class="${letter === 'k' ? 'skip' : shownAs[letter]}"${span} title="${what}">${mark}</td>`
  })
}

function legend(): Html {
  const words = ['pass', 'fail', 'error', 'skip', 'disabled'] as const
  return html`<p class="legend">${words.map((one) => html`${marks[one].mark} ${marks[one].word} `)}· not due. An empty cell is a night that did not have the requirement. The head of a column links to the report of its night.</p>`
}

/** A link of the history, if it is a path or an address of the web. */
function safeLink(link: string | undefined): string | undefined {
  return link !== undefined && /^(https?:\/\/|[\w.][\w./-]*$)/.test(link) ? link : undefined
}
