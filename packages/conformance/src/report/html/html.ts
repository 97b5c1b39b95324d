import { visible } from '../text.ts'

const markup = Symbol('markup')

/** Markup that stands in a page as it is. Only `html` and `trusted` make it, so that a plain string cannot pass as one. */
export interface Html {
  readonly [markup]: string
}

/** What a template takes: text is escaped, markup is not, a list is joined, `undefined` and `false` are nothing. */
export type Part = Html | string | number | undefined | false | readonly Part[]

/** A template for markup that escapes whatever is not markup already, for text and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return trusted(String.raw({ raw: strings }, ...parts.map(textOf)))
}

/** Takes text of our own as markup: the style sheet and the script, which must not be escaped. */
export function trusted(text: string): Html {
  return { [markup]: text }
}

/** The text of a piece of markup. */
export function render(part: Html): string {
  return part[markup]
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return isList(part) ? part.map(textOf).join('') : part[markup]
}

function isList(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part)
}

function escapeHtml(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
