/** HTML and XML whose texts are escaped. */
import { cleanLines } from '@cdn/kit/text'

const markup = Symbol('markup')

/** Trusted markup. Only `html` and `trustedMarkup` create it, so that a plain string is never treated as markup. */
export interface Html {
  readonly [markup]: string
}

/** A value in a template. Text is escaped, and markup is not. Lists are joined. `undefined` and `false` become empty. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

/** A template tag for markup. It escapes every value that is not markup, so that text and quoted attributes are safe. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return trustedMarkup(String.raw({ raw: strings }, ...parts.map(textOf)))
}

/** Marks a text as markup that must not be escaped. Only for texts of the repository, such as style sheet and script. */
export function trustedMarkup(text: string): Html {
  return { [markup]: text }
}

export function render(part: Html): string {
  return part[markup]
}

function textOf(part: HtmlPart): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'object') return markup in part ? part[markup] : part.map(textOf).join('')
  // XML allows neither U+FFFE nor U+FFFF, not even escaped.
  return cleanLines(String(part)).replace(/[\uFFFE\uFFFF&<>"']/g, (character) => entities[character] ?? '')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
