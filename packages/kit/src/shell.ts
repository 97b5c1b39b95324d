import { unsafeCharacters } from './text.ts'

/** A quote, a backslash, or characters that a terminal or a page would not show as they are. */
const special = new RegExp(`(['\\\\]|(?:(?![\\n\\t])${unsafeCharacters.source})+)`, 'u')

/**
 * Quotes a text as one word for dash, bash, zsh and fish (3.4 or later). Quotes and backslashes stand outside of single
 * quotes, because fish reads them differently there. `printf` writes characters that a terminal does not show.
 */
export function shellQuote(text: string): string {
  // zsh replaces a word such as `=ls`.
  if (/^[\w@%+:,./][\w@%+=:,./-]*$/.test(text)) return text
  const words = text.split(special).map((part, index) => (index % 2 === 1 ? quoteSpecial(part) : part && `'${part}'`))
  return words.join('') || "''"
}

function quoteSpecial(text: string): string {
  if (text === "'") return `"'"`
  if (text === '\\') return '\\\\'
  const octal = [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
  return `"$(printf '${octal.join('')}')"`
}

/** The parts of a request that a curl command repeats. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** The body as text; empty for a request without a body. */
  readonly body?: string | undefined
}

/**
 * Creates a curl command that sends a request, as words of a shell (`shellQuote`).
 *
 * @param credentials map from the lower-case name of a header to the text that replaces its value, such as `$CDN_ACCESS_KEY`;
 *   the value itself is never printed
 */
export function curlWords(request: CurlRequest, credentials: ReadonlyMap<string, string>): string[] {
  const { method, url, headers, body = '' } = request
  const all = [...headers].filter(([name]) => name.toLowerCase() !== 'content-length')
  const hasType = all.some(([name]) => name.toLowerCase() === 'content-type')
  return [
    'curl',
    ...methodWords(method, body),
    // A URL may contain brackets and braces, which curl would expand.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    shellQuote(url),
    ...all.flatMap(([name, value]) => ['--header', headerWord(name, value, credentials.get(name.toLowerCase()))]),
    // For a body, curl would add a content type that the request does not have.
    ...(body !== '' && !hasType ? ['--header', "'Content-Type:'"] : []),
    ...(body !== '' ? ['--data-raw', shellQuote(body)] : []),
  ]
}

function methodWords(method: string, body: string): string[] {
  if (method === 'HEAD') return ['--head']
  return method === 'GET' && body === '' ? [] : ['--request', shellQuote(method)]
}

function headerWord(name: string, value: string, credential: string | undefined): string {
  // A header's name may contain a backtick or a dollar sign, which a shell would expand.
  if (credential !== undefined)
    return /^[\w-]+$/.test(name) ? `"${name}: ${credential}"` : `${shellQuote(`${name}: `)}"${credential}"`
  // `Name;` makes curl send a header without a value.
  return shellQuote(value === '' ? `${name};` : `${name}: ${value}`)
}
