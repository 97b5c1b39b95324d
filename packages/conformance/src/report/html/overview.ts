import { areasNotShown, chapterOf, groupByArea } from '../group.ts'
import type { Report, RequirementResult } from '../model.ts'
import { marks, type Shown, shownOutcome, shownOutcomes } from '../outcomes.ts'
import { type Html, html } from './html.ts'
import { fragment, requirementAnchor } from './parts.ts'

/** The column of the facts that stand in no section of the document. */
const beside = 'Supplement'

/** Areas by chapters of the document: how many requirements stand in each cell and what is the worst outcome. */
export function overview({ requirements }: Report): Html {
  const columns = [...new Set(requirements.map(columnOf))].sort((one, other) =>
    one === beside ? 1 : other === beside ? -1 : one.localeCompare(other, 'en', { numeric: true }),
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
<p class="legend">A cell shows how many of its requirements passed, of those that can be checked, and links to the first
one of the worst outcome. ${shownOutcomes.map(legend)}</p>
<p class="note">The document shows no operation of these areas: ${areasNotShown().join(', ')}.</p>`
}

function cell(area: string, column: string, members: readonly RequirementResult[]): Html {
  const worst = shownOutcomes.find((shown) => members.some((member) => shownOutcome(member) === shown))
  const first = members.find((member) => shownOutcome(member) === worst)
  if (!worst || !first) return html`<td></td>`
  const checkable = members.filter((member) => shownOutcome(member) !== 'unchecked')
  const passed = checkable.filter((member) => shownOutcome(member) === 'pass').length
  const counts = worst === 'unchecked' ? `${members.length}` : `${passed}/${checkable.length}`
  // The name begins with what is seen, so that a voice can choose the link by it.
  const label =
    worst === 'unchecked'
      ? `${counts} unchecked: ${area}, ${column}`
      : `${counts} passed, worst outcome ${marks[worst].word}: ${area}, ${column}`
  return html`<td><a class="cell ${worst}" href="#${fragment(requirementAnchor(first.id))}" aria-label="${label}"><span class="mark" aria-hidden="true">${marks[worst].mark}</span>${counts}</a></td>`
}

function legend(shown: Shown): Html {
  return html`<span class="key ${shown}"><span class="mark" aria-hidden="true">${marks[shown].mark}</span>${marks[shown].word}</span> `
}

function columnOf({ section }: RequirementResult): string {
  const chapter = chapterOf(section)
  return chapter === undefined ? beside : `§${chapter}`
}
