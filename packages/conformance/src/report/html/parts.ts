import type { Ground } from '@cdn/api/contract'
import { marks, type Shown } from '../outcomes.ts'
import { type Html, html, type Part } from './html.ts'

/** An outcome as mark and word; colour only adds to them. */
export function badge(shown: Shown): Html {
  const { mark, word } = marks[shown]
  return html`<span class="badge ${shown}"><span class="mark" aria-hidden="true">${mark}</span>${word}</span>`
}

/** Ground and through in one short text: `document`, or `document, through supplement`. */
export function groundText(ground: Ground, through: Ground | undefined): string {
  return through === undefined || through === ground ? ground : `${ground}, through ${through}`
}

/** A link to what the page says on a check. */
export function checkLink(id: string): Html {
  return html`<a href="#${fragment(checkAnchor(id))}">${idCode(id)}</a>`
}

/** An id, which may break after a dot where the line is short. */
export function idCode(id: string): Html {
  return html`<code class="id">${id.split('.').map((word, index) => html`${index > 0 && html`.<wbr>`}${word}`)}</code>`
}

export function checkAnchor(id: string): string {
  return `check-${id}`
}

export function requirementAnchor(id: string): string {
  return `requirement-${id}`
}

/** An anchor as it stands in a link. */
export function fragment(anchor: string): string {
  return encodeURIComponent(anchor.toWellFormed())
}

/** A section with its heading; the heading names it for readers that do not see. */
export function section(id: string, title: string, ...content: readonly Part[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`
}

/** A table that scrolls sideways in a box of its own, so that the page never does. A group, since landmarks are few. */
export function table(label: string, heads: readonly string[], rows: Part): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

/** Text of the target as it came, in a box that scrolls. */
export function block(label: string, text: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
}
