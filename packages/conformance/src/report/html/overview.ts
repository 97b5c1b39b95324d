import { type Html, html } from '@cdn/kit/html'
import type { Report, RequirementResult } from '../model.ts'
import { marks, shownOutcome, shownOutcomes, undecidedByReason } from '../outcome.ts'
import { areasUnspecified, compareLabels, groupByArea, sectionLabel } from '../text.ts'
import { fragment, idLink, markOf, tableHtml } from './parts.ts'

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
