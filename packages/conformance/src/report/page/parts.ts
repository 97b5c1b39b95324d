import { type Html, type HtmlPart, html } from '@cdn/kit/html'
import { marks, type Shown } from '../../verdict/outcomes.ts'

/** A mark that screen readers leave out, because a word next to it says the same. */
export function markOf(shown: Shown): Html {
  return html`<span class="mark" aria-hidden="true">${marks[shown].mark}</span>`
}

/** Shows an outcome as a mark and a word, so that its meaning does not depend on the colour. */
export function badge(shown: Shown): Html {
  return html`<span class="badge ${shown}">${markOf(shown)}${marks[shown].word}</span>`
}

/** What an id names. Each check and each requirement has one place on the page. */
type Kind = 'check' | 'requirement'

/** A link to the place of a check or a requirement on the page. */
export function idLink(kind: Kind, id: string): Html {
  return html`<a href="#${fragment(kind, id)}">${idCode(id)}</a>`
}

/** An id that may wrap after a dot. */
export function idCode(id: string): Html {
  return html`<code class="id">${id.split('.').map((word, index) => html`${index > 0 && html`.<wbr>`}${word}`)}</code>`
}

export function anchor(kind: Kind, id: string): string {
  return `${kind}-${id}`
}

/** An anchor, encoded for a link. */
export function fragment(kind: Kind, id: string): string {
  return encodeURIComponent(anchor(kind, id).toWellFormed())
}

/** A section with its heading, which names it for screen readers. */
export function sectionHtml(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`
}

/** A column of a table. */
export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => HtmlPart
  /**
   * `row`: the cell is the header of its row. On a narrow screen, the cells of wide columns are hidden, and follow the
   * content of the main column.
   */
  readonly kind?: 'row' | 'main' | 'wide' | 'wide number' | 'section wide'
}

export function headHtml<Row>(columns: readonly Column<Row>[]): Html {
  const heads = columns.map(({ head, kind = '' }) => html`<th scope="col" class="${kind}">${head}</th>`)
  return html`<thead><tr>${heads}</tr></thead>`
}

/** A row of a table. */
export function rowHtml<Row>(columns: readonly Column<Row>[], row: Row, attributes?: Html): Html {
  const wide = columns.filter(({ kind }) => kind?.includes('wide'))
  const cells = columns.map(({ cell, kind }) => {
    if (kind === 'row') return html`<th scope="row">${cell(row)}</th>`
    const narrow = kind === 'main' && wide.map(({ head, cell }) => html`<span>${head}: ${cell(row)}</span> `)
    return html`<td${kind && html` class="${kind}"`}>${cell(row)}${narrow && html`<div class="narrow">${narrow}</div>`}</td>`
  })
  return html`<tr${attributes}>${cells}</tr>\n`
}

/**
 * A table in a box that scrolls sideways, so that the page itself never scrolls sideways. Its role is `group`, because a
 * page should have few landmarks.
 */
export function tableHtml<Row>(label: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>
${headHtml(columns)}
<tbody>${rows.map((row) => rowHtml(columns, row))}</tbody>
</table></div>`
}
