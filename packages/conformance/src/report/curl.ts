import { contracts, type SecurityScheme } from '@cdn/api/contract'
import type { Exchange } from './model.ts'

/** What stands in a command in place of a credential; the variables are those of the toolkit. */
const variables: Readonly<Record<SecurityScheme['kind'], string>> = {
  key: '$CDN_ACCESS_KEY',
  bearer: 'Bearer $CDN_BEARER_TOKEN',
}

/** Headers that carry a credential (§5), in lower case, with what a command shows in place of their value. */
const credentials: ReadonlyMap<string, string> = new Map(
  Object.values(contracts).flatMap(({ schemes }) =>
    schemes.map(({ header, kind }) => [header.toLowerCase(), variables[kind]] as const),
  ),
)

/**
 * A command line for a POSIX shell that repeats a request.
 *
 * The value of a header that carries a credential is never printed, whatever it holds: a variable stands in its place.
 * A body that was cut in the report is repeated as cut.
 */
export function curlLine({ method, url, headers, body }: Exchange['request']): string {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const options = [
    ...methodOption(method, body),
    // A URL may hold brackets and braces, which curl would expand.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...Object.entries(headers).flatMap(([name, value]) => headerOption(name, value)),
    // With a body, curl would otherwise add a content type that was not sent.
    ...(body && !names.includes('content-type') ? ["--header 'Content-Type:'"] : []),
    ...(body ? [`--data-raw ${quote(body)}`] : []),
  ]
  return ['curl --include', ...options, `--url ${quote(url)}`].join(' ')
}

function methodOption(method: string, body: string | undefined): string[] {
  if (method === 'HEAD') return ['--head']
  return method === 'GET' && !body ? [] : [`--request ${quote(method)}`]
}

function headerOption(name: string, value: string): string[] {
  const lower = name.toLowerCase()
  if (lower === 'content-length') return []
  const credential = credentials.get(lower)
  if (credential !== undefined) return [`--header "${name}: ${credential}"`]
  // `Name;` is how curl is told to send a header without a value.
  return [`--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`]
}

/** Quotes for a POSIX shell; with control characters as `$'...'`, which bash, zsh and POSIX 2024 shells know. */
function quote(text: string): string {
  if (/^[\w./:-]+$/.test(text) && !text.startsWith('-')) return text
  if (!/[\p{Cc}]/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/\p{Cc}/gu, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
}
