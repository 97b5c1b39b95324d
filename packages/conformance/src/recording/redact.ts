import { hideSecrets } from '@cdn/kit/secrets'
import type { RunCredentials } from '../core/check.ts'

const hidden = '[redacted]'
const secretHeaders = ['accesskey', 'authorization', 'cookie', 'set-cookie', 'proxy-authorization']
/**
 * Log rows contain valid credentials of visitors in this field (supplement). A JSON string may itself contain JSON, with
 * backslashes before the quotes. A truncated text has no closing quote. Each run of backslashes is scanned once, from its start.
 */
const secretField = /(?<!\\)((\\*)"authorizationHeader\2"\s*:\s*\2")(?:(?!(?<!\\)\2").)*/gs
/** Index of the same credential in an extended line of version 1: the last of fifteen fields. */
const secretIndex = 14

/** Removes secrets from the output of a run. */
export interface Redactor {
  text(text: string): string
  headers(headers: Iterable<readonly [string, string]>): Record<string, string>
}

/**
 * Creates a redactor that removes a run's credentials everywhere, and other credentials in known places.
 *
 * @param credentials the run's credentials
 */
export function createRedactor(credentials: RunCredentials): Redactor {
  const { byScope, keyByScope, imported, ...single } = credentials
  const whole = [single, byScope, keyByScope, imported].flatMap((group) => Object.values(group ?? {}))
  const withoutSecrets = hideSecrets([...whole, ...whole.flatMap(piecesOf)], hidden)
  const text = (input: string) => withoutLineCredentials(withoutSecrets(input).replace(secretField, `$1${hidden}`))
  return {
    text,
    headers: (headers) =>
      Object.fromEntries(
        [...headers].map(([name, value]) => [name, secretHeaders.includes(name.toLowerCase()) ? hidden : text(value)]),
      ),
  }
}

/**
 * Returns the parts of a token that also occur in forged tokens: header, claims, and the signature without its first
 * character. A JWT has three parts (§5).
 */
function piecesOf(token: string): string[] {
  const [header = '', claims = '', signature = '', ...more] = token.split('.')
  return signature.length > 8 && more.length === 0 ? [header, claims, signature.slice(1)] : []
}

/** Removes the credential from each line of version 1. In a JSON string, escaped line breaks separate lines. */
function withoutLineCredentials(text: string): string {
  if (!text.includes('|')) return text
  return text
    .split(/(\n|\\n)/)
    .map((line) => {
      const fields = line.split('|')
      return fields.length > secretIndex ? fields.with(secretIndex, hidden).join('|') : line
    })
    .join('')
}
