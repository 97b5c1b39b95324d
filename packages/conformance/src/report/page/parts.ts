import { marks, type ShownOutcome } from '../../verdict/outcomes.ts'
import { type Html, type HtmlPart, html } from '../html.ts'

/** A mark that screen readers leave out, because a word next to it says the same. */
export function markOf(shown: ShownOutcome): Html {
  return html`<span class="mark ${shown}" aria-hidden="true">${marks[shown].mark}</span>`
}

/** Shows an outcome as a mark and a word, so that its meaning does not depend on the colour. */
export function badge(shown: ShownOutcome): Html {
  return html`<span class="badge ${shown}">${markOf(shown)}${marks[shown].word}</span>`
}

/** A link to the place of a cause or a requirement on the page. */
export function idLink(kind: 'cause' | 'requirement', id: string): Html {
  return html`<a href="#${encodeURIComponent(anchor(kind, id).toWellFormed())}">${idCode(id)}</a>`
}

/** An id that may wrap after a dot. */
export function idCode(id: string): Html {
  return html`<code class="id">${id.split('.').map((word, index) => html`${index > 0 && html`.<wbr>`}${word}`)}</code>`
}

export function anchor(kind: 'cause' | 'requirement', id: string): string {
  return `${kind}-${id}`
}

/** A section with its heading, which names it for screen readers. */
export function sectionHtml(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`
}

/** Text of several lines that scrolls in its own box. A label makes the box reachable for the keyboard. */
export function block(label: string, text: string, id?: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"${id && html` id="${id}"`}><code>${text}</code></pre>`
}
