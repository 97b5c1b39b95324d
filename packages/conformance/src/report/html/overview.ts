import { areasUnspecified, chapterOf, groupByArea } from '../group.ts'
import type { Report, RequirementResult } from '../model.ts'
import { marks, type Shown, shownOutcome, shownOutcomes } from '../outcomes.ts'
import { undecidedByReason } from '../undecided.ts'
import { type Html, html } from './html.ts'
import { fragment, requirementAnchor, requirementLink } from './parts.ts'

/** The column of the supplement's facts, which have no section in the spec. */
const supplementColumn = 'Supplement'

/** A table of areas and chapters of the spec. Each cell shows the number of requirements and their worst outcome. */
export function overview(report: Report): Html {
  const { requirements } = report
  const columns = [...new Set(requirements.map(columnOf))].sort((one, other) =>
    one === supplementColumn ? 1 : other === supplementColumn ? -1 : one.localeCompare(other, 'en', { numeric: true }),
  )
  const rows = groupByArea(requirements).map(({ area, requirements: members }) => {
    const byColumn = Map.groupBy(members, columnOf)
    const cells = columns.map((column) => cell(area, column, byColumn.get(column) ?? []))
    return html`<tr><th scope="row">${area}</th>${cells}</tr>\n`
  })
  return html`<div class="scroll" role="group" aria-label="Areas by sections" tabindex="0"><table class="grid">
<thead><tr><th scope="col">Area</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>
<p class="legend">A cell shows how many of its checkable requirements passed, and links to the first one with the
worst outcome. ${shownOutcomes.map(legend)}</p>
${undecided(report)}
<p class="note">The spec describes no operation of these areas: ${areasUnspecified().join(', ')}.</p>`
}

function cell(area: string, column: string, members: readonly RequirementResult[]): Html {
  const worst = shownOutcomes.find((shown) => members.some((member) => shownOutcome(member) === shown))
  const first = members.find((member) => shownOutcome(member) === worst)
  if (!worst || !first) return html`<td></td>`
  const checkable = members.filter((member) => shownOutcome(member) !== 'unchecked')
  const passed = checkable.filter((member) => shownOutcome(member) === 'pass').length
  const counts = worst === 'unchecked' ? `${members.length}` : `${passed}/${checkable.length}`
  // The accessible name begins with the visible text, so that users of voice control can select the link by that text.
  const label =
    worst === 'unchecked'
      ? `${counts} unchecked: ${area}, ${column}`
      : `${counts} passed, worst outcome ${marks[worst].word}: ${area}, ${column}`
  return html`<td><a class="cell ${worst}" href="#${fragment(requirementAnchor(first.id))}" aria-label="${label}"><span class="mark" aria-hidden="true">${marks[worst].mark}</span>${counts}</a></td>`
}

/** Lists the requirements that this run did not decide, by source and reason, so that readers do not count them as passed. */
function undecided(report: Report): Html {
  const lists = (['spec', 'supplement', 'robustness'] as const).map((source) => {
    const items = undecidedByReason(report, source).map(
      ([reason, members]) =>
        html`<li>${reason}: ${members.map(({ id }, index) => html`${index > 0 && ', '}${requirementLink(id)}`)}</li>\n`,
    )
    const title = source.charAt(0).toUpperCase() + source.slice(1)
    return items.length > 0 && html`<h3>${title}</h3>\n<ul>${items}</ul>\n`
  })
  return lists.some(Boolean)
    ? html`<details class="undecided"><summary>Not decided in this run</summary>\n${lists}</details>`
    : html``
}

function legend(shown: Shown): Html {
  return html`<span class="key ${shown}"><span class="mark" aria-hidden="true">${marks[shown].mark}</span>${marks[shown].word}</span> `
}

function columnOf({ section }: RequirementResult): string {
  const chapter = chapterOf(section)
  return chapter === undefined ? supplementColumn : `§${chapter}`
}
