import { groupByArea, sectionLabel } from '../group.ts'
import type { CheckResult, Report, RequirementResult } from '../model.ts'
import { marks, shownOutcome, shownOutcomes } from '../outcomes.ts'
import { plural } from '../summarize.ts'
import { durationText } from '../text.ts'
import { type Html, type HtmlPart, html } from './html.ts'
import { badge, checkAnchor, checkLink, idCode, requirementAnchor, sourceText } from './parts.ts'

/** The form that filters the tables. It is hidden until the script shows it, because it needs the script. */
export function filters(): Html {
  const choices = [
    choice(
      'Outcome',
      'outcome',
      shownOutcomes.map((shown) => [shown, `${marks[shown].mark} ${marks[shown].word}`]),
    ),
    choice('Source', 'source', [...sources, ['robustness', 'robustness']]),
    choice('Basis', 'basis', sources),
  ]
  return html`<form id="filters" hidden role="search" aria-label="Filter requirements and checks">
${choices}
<label class="words">Text <input type="search" name="words" placeholder="id or sentence" autocomplete="off"></label>
<button type="reset">Show all</button>
<output aria-live="polite"></output>
</form>`
}

const sources = [
  ['spec', 'spec'],
  ['supplement', 'supplement'],
] as const

function choice(title: string, name: string, values: readonly (readonly [string, string])[]): Html {
  const boxes = values.map(
    ([value, label]) => html`<label><input type="checkbox" name="${name}" value="${value}">${label}</label>`,
  )
  return html`<fieldset><legend>${title}</legend>${boxes}</fieldset>\n`
}

/** All requirements, by area and section. */
export function requirementTable({ requirements }: Report): Html {
  const groups = groupByArea(requirements).map(
    ({ area, requirements: members }) => html`<tbody data-group>
<tr class="group"><th scope="rowgroup" colspan="7">${area} <span class="count">${members.length}</span></th></tr>
${members.map(requirementRow)}</tbody>
`,
  )
  return html`<table class="matrix">
<thead><tr><th scope="col">Outcome</th><th scope="col" class="wide">Section</th><th scope="col">Requirement</th><th scope="col" class="wide">Source</th><th scope="col" class="wide">Basis</th><th scope="col" class="wide number">Cases</th><th scope="col" class="wide">Checks</th></tr></thead>
${groups}</table>`
}

function requirementRow(requirement: RequirementResult): Html {
  const { id, section, text, source, basis, cases, checks } = requirement
  const shown = shownOutcome(requirement)
  return html`<tr id="${requirementAnchor(id)}" data-row="requirement" data-outcome="${shown}" data-source="${source}" data-basis="${basis ?? ''}">
<td>${badge(shown)}</td><td class="section wide">${sectionLabel(section)}</td>
<td><p>${text}</p>${idCode(id)}<div class="narrow">${sectionLabel(section)} · ${sourceText(source, basis)} · ${plural(cases, 'case')} · ${checkList(checks)}</div></td>
<td class="wide">${source}</td><td class="wide">${basis ?? '–'}</td><td class="wide number">${cases}</td><td class="wide">${checkList(checks)}</td></tr>
`
}

/** Shows the checks of a requirement. Two or more checks are collapsed. */
function checkList(checks: readonly string[]): HtmlPart {
  const [first, ...others] = checks
  if (first === undefined) return 'no check'
  if (others.length === 0) return checkLink(first)
  return html`<details><summary>${plural(checks.length, 'check')}</summary><ul class="plain">${checks.map((id) => html`<li>${checkLink(id)}</li>`)}</ul></details>`
}

/** Shows all checks. A check with evidence links to the evidence in another section of the page. */
export function checkTable({ checks }: Report, hasEvidence: (check: CheckResult) => boolean): Html {
  const rows = checks.map((check) => {
    const elsewhere = hasEvidence(check)
    const name = elsewhere ? checkLink(check.id) : idCode(check.id)
    return html`<tr${elsewhere ? undefined : html` id="${checkAnchor(check.id)}"`} data-row="check" data-outcome="${check.outcome}" data-source="${check.source}" data-basis="${check.basis}">
<td>${badge(check.outcome)}</td>
<td>${name}${check.message !== undefined && html`<p class="note">${check.message}</p>`}<p class="narrow">${sourceText(check.source, check.basis)} · ${check.effect} · ${plural(check.requests, 'request')} · ${durationText(check.durationMs)}</p></td>
<td class="wide">${check.source}</td><td class="wide">${check.basis}</td><td class="wide">${check.effect}</td>
<td class="wide number">${check.requests}</td><td class="wide number">${durationText(check.durationMs)}</td></tr>
`
  })
  return html`<table class="matrix">
<thead><tr><th scope="col">Outcome</th><th scope="col">Check</th><th scope="col" class="wide">Source</th><th scope="col" class="wide">Basis</th><th scope="col" class="wide">Effect</th><th scope="col" class="wide number">Requests</th><th scope="col" class="wide number">Time</th></tr></thead>
<tbody data-group>${rows}</tbody>
</table>`
}
