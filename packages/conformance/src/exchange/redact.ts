import { maskSecretsInText } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'
import { hideKnown } from '@cdn/kit/known-secrets'
import type { RunCredentials } from './check.ts'

const hidden = '[redacted]'
const secretHeaders = ['accesskey', 'authorization', 'cookie', 'set-cookie', 'proxy-authorization']
/** Index of `authorizationHeader` in an extended line of version 1: the last of fifteen fields. */
const secretIndex = 14

/** Removes secrets from the output of a run. */
export type Redactor = ReturnType<typeof createRedactor>

/**
 * Creates a redactor that removes a run's credentials everywhere, secrets of the account in JSON, and visitors' credentials in log
 * rows.
 */
export function createRedactor(credentials: RunCredentials) {
  const { byScope, keyByScope, ...single } = credentials
  const whole = [single, byScope, keyByScope].flatMap((group) => Object.values(group ?? {}))
  const variables = variablesOf(credentials)
  // Build the pattern of all credentials on first use: it takes some milliseconds, and most checks show no text.
  let withoutSecrets: ((text: string) => string) | undefined
  const text = (input: string) => {
    withoutSecrets ??= hideKnown([...whole, ...whole.flatMap(piecesOf)], hidden)
    return withoutLineCredentials(maskSecretsInText(withoutSecrets(input), hidden))
  }
  return {
    text,
    /** Replaces a credential of the run by its environment variable, so that a command can repeat the request, and hides any other one. */
    headers: (headers: Iterable<readonly [string, string]>): Record<string, string> =>
      Object.fromEntries(
        [...headers].map(([name, value]) => {
          if (!secretHeaders.includes(name.toLowerCase())) return [name, text(value)]
          const scheme = value.startsWith('Bearer ') ? 'Bearer ' : ''
          const variable = variables.get(value.slice(scheme.length))
          return [name, variable === undefined ? hidden : `${scheme}$${variable}`]
        }),
      ),
  }
}

/** Returns the environment variables of credentials by value, with the names that the emulator uses. */
export function variablesOf({ byScope, keyByScope, ...single }: RunCredentials): Map<string, string> {
  const named = (words: string, kind: string) => `${kebabCase(words).toUpperCase().replaceAll('-', '_')}_${kind}`
  const scoped = (kind: string, group: Readonly<Record<string, string>> = {}) =>
    Object.entries(group).map(([scope, value]) => [value, `CDN_SCOPE_${named(scope, kind)}`] as const)
  return new Map([
    ...scoped('TOKEN', byScope),
    ...scoped('KEY', keyByScope),
    ...Object.entries(single).map(([name, value]) => {
      const kind = name.endsWith('Key') ? 'KEY' : 'TOKEN'
      return [value, `CDN_${named(name.replace(/Key$/, ''), kind)}`] as const
    }),
  ])
}

/**
 * Returns the parts of a credential that also occur in the wrong credentials of checks. Of a token: header, claims, and the signature
 * without its first character. Of a key: all but the last character. A JWT has three parts (§5).
 */
function piecesOf(credential: string): string[] {
  const [header = '', claims = '', signature = '', ...more] = credential.split('.')
  if (signature.length > 8 && more.length === 0) return [header, claims, signature.slice(1)]
  return credential.length > 8 ? [credential.slice(0, -1)] : []
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
