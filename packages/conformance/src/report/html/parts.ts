import type { Source } from '@cdn/api/contract'
import type { CheckSource } from '../../core/check.ts'
import { marks, type Shown } from '../outcomes.ts'
import { type Html, type HtmlPart, html } from './html.ts'

/** Shows an outcome as a mark and a word, so that its meaning does not depend on the colour. */
export function badge(shown: Shown): Html {
  const { mark, word } = marks[shown]
  return html`<span class="badge ${shown}"><span class="mark" aria-hidden="true">${mark}</span>${word}</span>`
}

/** Returns source and basis as one short text: `spec`, or `spec, through supplement`. */
export function sourceText(source: CheckSource, basis: Source | undefined): string {
  return basis === undefined || basis === source ? source : `${source}, through ${basis}`
}

/** A link to the check's place on the page. */
export function checkLink(id: string): Html {
  return html`<a href="#${fragment(checkAnchor(id))}">${idCode(id)}</a>`
}

/** A link to the requirement's row on the page. */
export function requirementLink(id: string): Html {
  return html`<a href="#${fragment(requirementAnchor(id))}">${idCode(id)}</a>`
}

/** An id that may wrap after a dot. */
export function idCode(id: string): Html {
  return html`<code class="id">${id.split('.').map((word, index) => html`${index > 0 && html`.<wbr>`}${word}`)}</code>`
}

export function checkAnchor(id: string): string {
  return `check-${id}`
}

export function requirementAnchor(id: string): string {
  return `requirement-${id}`
}

/** An anchor, encoded for a link. */
export function fragment(anchor: string): string {
  return encodeURIComponent(anchor.toWellFormed())
}

/** A section with its heading, which names it for screen readers. */
export function sectionHtml(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`
}

/**
 * A table in a box that scrolls sideways, so that the page itself never scrolls sideways. Its role is `group`, because a
 * page should have few landmarks.
 */
export function tableHtml(label: string, heads: readonly string[], rows: HtmlPart): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

/** Text of the target in a box that scrolls. */
export function block(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}
