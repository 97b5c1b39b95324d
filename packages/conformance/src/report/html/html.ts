import { cleanLines } from '@cdn/kit/text'

const markup = Symbol('markup')

/** Trusted markup. Only `html` and `trusted` create it, so that a plain string is never treated as markup. */
export interface Html {
  readonly [markup]: string
}

/** A value in a template. Text is escaped, and markup is not. Lists are joined. `undefined` and `false` become empty. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

/** A template tag for markup. It escapes every value that is not markup, so that text and quoted attributes are safe. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return trusted(String.raw({ raw: strings }, ...parts.map(textOf)))
}

/** Marks a text as markup that must not be escaped. Only for texts of this package, such as style sheet and script. */
export function trusted(text: string): Html {
  return { [markup]: text }
}

export function render(part: Html): string {
  return part[markup]
}

function textOf(part: HtmlPart): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return isList(part) ? part.map(textOf).join('') : part[markup]
}

function isList(part: Html | readonly HtmlPart[]): part is readonly HtmlPart[] {
  return Array.isArray(part)
}

function escapeHtml(text: string): string {
  return cleanLines(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
