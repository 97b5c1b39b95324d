import { contracts, type SecurityScheme } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import type { Exchange } from './model.ts'

/** Replacements of credentials in a command: environment variables of the toolkit. */
const variables: Readonly<Record<SecurityScheme['kind'], string>> = {
  key: '$CDN_ACCESS_KEY',
  bearer: 'Bearer $CDN_BEARER_TOKEN',
}

/** Headers that carry a credential (§5), in lower case, with the replacement of their value. */
function credentialsOf(name: string | undefined): ReadonlyMap<string, string> {
  const imported = Object.values(contracts).find((one) => one.interface === name && one.source === 'supplement')
  const importedHeaders = (imported?.schemes ?? []).map(
    ({ header, kind, variable }) => [header, `${kind === 'bearer' ? 'Bearer ' : ''}$${variable}`] as const,
  )
  const { schemes } = contracts.management
  const all = [
    ...[...schemes, ...contracts.logging.schemes].map(({ header, kind }) => [header, variables[kind]] as const),
    ...importedHeaders,
  ]
  return new Map(all.map(([header, value]) => [header.toLowerCase(), value]))
}

/**
 * A command line for a POSIX shell that repeats a request.
 *
 * The value of a header that carries a credential is never printed: a variable replaces it. A body that the report
 * truncated stays truncated.
 *
 * @param name the interface; an imported one has its own credentials
 */
export function curlLine({ method, url, headers, body }: Exchange['request'], name?: string): string {
  const credentials = credentialsOf(name)
  const names = Object.keys(headers).map((header) => header.toLowerCase())
  const options = [
    ...methodOption(method, body),
    // A URL may contain brackets and braces, which curl would expand.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...Object.entries(headers).flatMap(([header, value]) => headerOption(header, value, credentials)),
    // If there is a body, curl would add a content type that was not sent.
    ...(body && !names.includes('content-type') ? ["--header 'Content-Type:'"] : []),
    ...(body ? [`--data-raw ${quote(body)}`] : []),
  ]
  return ['curl --include', ...options, `--url ${quote(url)}`].join(' ')
}

function methodOption(method: string, body: string | undefined): string[] {
  if (method === 'HEAD') return ['--head']
  return method === 'GET' && !body ? [] : [`--request ${quote(method)}`]
}

function headerOption(name: string, value: string, credentials: ReadonlyMap<string, string>): string[] {
  const lower = name.toLowerCase()
  if (lower === 'content-length') return []
  const credential = credentials.get(lower)
  if (credential !== undefined) return [`--header "${name}: ${credential}"`]
  // `Name;` makes curl send a header without a value.
  return [`--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`]
}

/**
 * Quotes for a POSIX shell. Text with control characters becomes `$'...'`, which bash, zsh and POSIX 2024 shells
 * support.
 */
function quote(text: string): string {
  if (/^[\w./:-]+$/.test(text) && !text.startsWith('-')) return text
  if (!/[\p{Cc}]/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(/\p{Cc}/gu, (character) => `\\u${defined(character.codePointAt(0)).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
}
