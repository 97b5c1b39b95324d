/**
 * Quotes a text as one word for a POSIX shell. A text with control characters other than line breaks and tabs is quoted as
 * `$'...'`. This form works in bash, zsh and POSIX 2024 shells.
 */
export function shellQuote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-')) return text
  if (!/(?![\n\t])\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
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
 * Creates a curl command that sends a request, as words of a POSIX shell.
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
  if (credential !== undefined) return `"${name}: ${credential}"`
  // `Name;` makes curl send a header without a value.
  return shellQuote(value === '' ? `${name};` : `${name}: ${value}`)
}
