import { type Html, type HtmlPart, html } from '@cdn/kit/html'
import { marks, shownOutcome, shownOutcomes, undecidedByReason } from '../../verdict/outcomes.ts'
import type { CheckResult, Report, RequirementResult } from '../model.ts'
import { areasUnspecified, compareLabels, durationText, groupByArea, plural, sectionLabel } from '../text.ts'
import { anchor, badge, type Column, fragment, headHtml, idCode, idLink, markOf, rowHtml, tableHtml } from './parts.ts'

/** The form that filters the tables. It is hidden until the script shows it, because it needs the script. */
export function filters(): Html {
  const choices = [
    choice('Outcome', 'outcome', shownOutcomes, (shown) => `${marks[shown].mark} ${marks[shown].word}`),
    choice('Source', 'source', ['spec', 'supplement', 'robustness']),
    choice('Basis', 'basis', ['spec', 'supplement']),
  ]
  return html`<form id="filters" hidden role="search" aria-label="Filter requirements and checks">
${choices}
<label class="words">Text <input type="search" name="words" placeholder="id or sentence" autocomplete="off"></label>
<button type="reset">Show all</button>
<output aria-live="polite"></output>
</form>`
}

function choice<T extends string>(
  title: string,
  name: string,
  values: readonly T[],
  labelOf: (value: T) => string = String,
): Html {
  const boxes = values.map(
    (value) => html`<label><input type="checkbox" name="${name}" value="${value}">${labelOf(value)}</label>`,
  )
  return html`<fieldset><legend>${title}</legend>${boxes}</fieldset>\n`
}

const requirementColumns: readonly Column<RequirementResult>[] = [
  { head: 'Outcome', cell: (requirement) => badge(shownOutcome(requirement)) },
  { head: 'Section', cell: ({ section }) => sectionLabel(section), kind: 'section wide' },
  { head: 'Requirement', cell: ({ text, id }) => html`<p>${text}</p>${idCode(id)}`, kind: 'main' },
  { head: 'Source', cell: ({ source }) => source, kind: 'wide' },
  { head: 'Basis', cell: ({ basis = '–' }) => basis, kind: 'wide' },
  { head: 'Cases', cell: ({ cases }) => cases, kind: 'wide number' },
  { head: 'Checks', cell: ({ checks }) => checkList(checks), kind: 'wide' },
]

/** All requirements, by area and section. */
export function requirementTable({ requirements }: Report): Html {
  const groups = groupByArea(requirements).map(([area, members]) => {
    const rows = members.map((requirement) => {
      const { id, source, basis } = requirement
      const attributes = html` id="${anchor('requirement', id)}"${data('requirement', shownOutcome(requirement), source, basis)}`
      return rowHtml(requirementColumns, requirement, attributes)
    })
    return html`<tbody data-group>
<tr class="group"><th scope="rowgroup" colspan="${requirementColumns.length}">${area} <span class="count">${members.length}</span></th></tr>
${rows}</tbody>
`
  })
  return html`<table class="matrix">\n${headHtml(requirementColumns)}\n${groups}</table>`
}

/** The data by which the script filters a row. */
function data(kind: string, outcome: string, source: string, basis = ''): Html {
  return html` data-row="${kind}" data-outcome="${outcome}" data-source="${source}" data-basis="${basis}"`
}

/** Shows the checks of a requirement. Two or more checks are collapsed. */
function checkList(checks: readonly string[]): HtmlPart {
  const [first, ...others] = checks.map((id) => idLink('check', id))
  if (first === undefined) return 'no check'
  if (others.length === 0) return first
  return html`<details><summary>${plural(checks.length, 'check')}</summary><ul class="plain">${[first, ...others].map((link) => html`<li>${link}</li>`)}</ul></details>`
}

/** Shows all checks. A check with evidence links to the evidence in another section of the page. */
export function checkTable({ checks }: Report): Html {
  const hasEvidence = ({ outcome }: CheckResult) => outcome === 'fail' || outcome === 'error'
  const name = (check: CheckResult) => (hasEvidence(check) ? idLink('check', check.id) : idCode(check.id))
  const columns: readonly Column<CheckResult>[] = [
    { head: 'Outcome', cell: ({ outcome }) => badge(outcome) },
    {
      head: 'Check',
      cell: (check) => html`${name(check)}${check.message !== undefined && html`<p class="note">${check.message}</p>`}`,
      kind: 'main',
    },
    { head: 'Source', cell: ({ source }) => source, kind: 'wide' },
    { head: 'Basis', cell: ({ basis }) => basis, kind: 'wide' },
    { head: 'Effect', cell: ({ effect }) => effect, kind: 'wide' },
    { head: 'Requests', cell: ({ requests }) => requests, kind: 'wide number' },
    { head: 'Time', cell: ({ durationMs }) => durationText(durationMs), kind: 'wide number' },
  ]
  const rows = checks.map((check) => {
    const own = !hasEvidence(check) && html` id="${anchor('check', check.id)}"`
    return rowHtml(columns, check, html`${own}${data('check', check.outcome, check.source, check.basis)}`)
  })
  return html`<table class="matrix">\n${headHtml(columns)}\n<tbody data-group>${rows}</tbody>\n</table>`
}

/** A table of areas and chapters of the spec. Each cell shows the number of requirements and their worst outcome. */
export function overview(report: Report): Html {
  const chapters = [...new Set(report.requirements.map(chapterOf))].sort(compareLabels)
  const columns = chapters.map((chapter) => ({
    head: chapter,
    cell: ([area, members]: readonly [string, readonly RequirementResult[]]) =>
      cell(
        `${area}, ${chapter}`,
        members.filter((member) => chapterOf(member) === chapter),
      ),
  }))
  const legend = shownOutcomes.map(
    (shown) => html`<span class="key ${shown}">${markOf(shown)}${marks[shown].word}</span> `,
  )
  const areas = groupByArea(report.requirements)
  return html`<div class="grid">
${tableHtml('Areas by sections', [{ head: 'Area', cell: ([area]) => area, kind: 'row' }, ...columns], areas)}
</div>
<p class="legend">A cell shows how many of its checkable requirements passed, and links to the first one with the
worst outcome. ${legend}</p>
${undecided(report)}
<p class="note">The spec describes no operation of these areas: ${areasUnspecified}.</p>`
}

/** Returns the chapter of a section of the spec. The supplement's facts have no section in the spec. */
function chapterOf({ section }: RequirementResult): string {
  const label = sectionLabel(section)
  return label.startsWith('§') ? label.replace(/\..*/, '') : 'Supplement'
}

function cell(place: string, members: readonly RequirementResult[]): Html {
  const worst = shownOutcomes.find((shown) => members.some((member) => shownOutcome(member) === shown))
  const first = members.find((member) => shownOutcome(member) === worst)
  if (!worst || !first) return html``
  const checkable = members.filter((member) => shownOutcome(member) !== 'unchecked')
  const passed = checkable.filter((member) => shownOutcome(member) === 'pass').length
  const counts = worst === 'unchecked' ? `${members.length}` : `${passed}/${checkable.length}`
  // The accessible name begins with the visible text, so that users of voice control can select the link by that text.
  const meaning = worst === 'unchecked' ? 'unchecked' : `passed, worst outcome ${marks[worst].word}`
  return html`<a class="cell ${worst}" href="#${fragment('requirement', first.id)}" aria-label="${counts} ${meaning}: ${place}">${markOf(worst)}${counts}</a>`
}

/** Lists the requirements that this run did not decide, by source and reason, so that readers do not count them as passed. */
function undecided(report: Report): Html {
  const lists = (['spec', 'supplement', 'robustness'] as const).flatMap((source) => {
    const items = undecidedByReason(report, source).map(
      ([reason, ids]) =>
        html`<li>${reason}: ${ids.map((id, index) => html`${index > 0 && ', '}${idLink('requirement', id)}`)}</li>\n`,
    )
    const title = source.charAt(0).toUpperCase() + source.slice(1)
    return items.length > 0 ? [html`<h3>${title}</h3>\n<ul>${items}</ul>\n`] : []
  })
  if (lists.length === 0) return html``
  return html`<details class="undecided"><summary>Not decided in this run</summary>\n${lists}</details>`
}
