import { groupByArea, sectionLabel } from '../group.ts'
import type { CheckResult, Report, RequirementResult } from '../model.ts'
import { marks, shownOutcome, shownOutcomes } from '../outcomes.ts'
import { plural } from '../summarize.ts'
import { duration } from '../text.ts'
import { type Html, html, type Part } from './html.ts'
import { badge, checkAnchor, checkLink, groundText, idCode, requirementAnchor } from './parts.ts'

/** The form that narrows the tables. It is shown by the script alone, since nothing but the script can serve it. */
export function filters(): Html {
  const choices = [
    choice(
      'Outcome',
      'outcome',
      shownOutcomes.map((shown) => [shown, `${marks[shown].mark} ${marks[shown].word}`]),
    ),
    choice('Ground', 'ground', grounds),
    choice('Through', 'through', grounds),
  ]
  return html`<form id="filters" hidden role="search" aria-label="Filter requirements and checks">
${choices}
<label class="words">Text <input type="search" name="words" placeholder="id or sentence" autocomplete="off"></label>
<button type="reset">Show all</button>
<output aria-live="polite"></output>
</form>`
}

const grounds = [
  ['document', 'document'],
  ['supplement', 'supplement'],
] as const

function choice(title: string, name: string, values: readonly (readonly [string, string])[]): Html {
  const boxes = values.map(
    ([value, label]) => html`<label><input type="checkbox" name="${name}" value="${value}">${label}</label>`,
  )
  return html`<fieldset><legend>${title}</legend>${boxes}</fieldset>\n`
}

/** Every requirement, by area and section. */
export function requirementTable({ requirements }: Report): Html {
  const groups = groupByArea(requirements).map(
    ({ area, requirements: members }) => html`<tbody data-group>
<tr class="group"><th scope="rowgroup" colspan="6">${area} <span class="count">${members.length}</span></th></tr>
${members.map(requirementRow)}</tbody>
`,
  )
  return html`<table class="matrix">
<thead><tr><th scope="col">Outcome</th><th scope="col" class="wide">Section</th><th scope="col">Requirement</th><th scope="col" class="wide">Ground</th><th scope="col" class="wide">Through</th><th scope="col" class="wide">Checks</th></tr></thead>
${groups}</table>`
}

function requirementRow(requirement: RequirementResult): Html {
  const { id, section, text, ground, through, checks } = requirement
  const shown = shownOutcome(requirement)
  return html`<tr id="${requirementAnchor(id)}" data-row="requirement" data-outcome="${shown}" data-ground="${ground}" data-through="${through ?? ''}">
<td>${badge(shown)}</td><td class="section wide">${sectionLabel(section)}</td>
<td><p>${text}</p>${idCode(id)}<div class="narrow">${sectionLabel(section)} · ${groundText(ground, through)} · ${checkList(checks)}</div></td>
<td class="wide">${ground}</td><td class="wide">${through ?? '–'}</td><td class="wide">${checkList(checks)}</td></tr>
`
}

/** The checks of a requirement: many of them fold away. */
function checkList(checks: readonly string[]): Part {
  const [first, ...others] = checks
  if (first === undefined) return 'no check'
  if (others.length === 0) return checkLink(first)
  return html`<details><summary>${plural(checks.length, 'check')}</summary><ul class="plain">${checks.map((id) => html`<li>${checkLink(id)}</li>`)}</ul></details>`
}

/** Every check. Those with evidence have their place elsewhere on the page, and the row links there. */
export function checkTable({ checks }: Report, hasEvidence: (check: CheckResult) => boolean): Html {
  const rows = checks.map((check) => {
    const elsewhere = hasEvidence(check)
    const name = elsewhere ? checkLink(check.id) : idCode(check.id)
    return html`<tr${elsewhere ? undefined : html` id="${checkAnchor(check.id)}"`} data-row="check" data-outcome="${check.outcome}" data-ground="${check.ground}" data-through="${check.through}">
<td>${badge(check.outcome)}</td>
<td>${name}${check.message !== undefined && html`<p class="note">${check.message}</p>`}<p class="narrow">${groundText(check.ground, check.through)} · ${check.effect} · ${plural(check.requests, 'request')} · ${duration(check.durationMs)}</p></td>
<td class="wide">${check.ground}</td><td class="wide">${check.through}</td><td class="wide">${check.effect}</td>
<td class="wide number">${check.requests}</td><td class="wide number">${duration(check.durationMs)}</td></tr>
`
  })
  return html`<table class="matrix">
<thead><tr><th scope="col">Outcome</th><th scope="col">Check</th><th scope="col" class="wide">Ground</th><th scope="col" class="wide">Through</th><th scope="col" class="wide">Effect</th><th scope="col" class="wide number">Requests</th><th scope="col" class="wide number">Time</th></tr></thead>
<tbody data-group>${rows}</tbody>
</table>`
}
