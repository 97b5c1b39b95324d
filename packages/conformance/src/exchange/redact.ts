import { contracts } from '@cdn/api/contract'
import { createRedactor as create, isSecretField, redacted } from '@cdn/api/secrets'
import { kebabCase } from '@cdn/kit/letter-case'
import type { RunCredentials } from './check.ts'

/** Removes secrets from the output of a run. */
export type Redactor = ReturnType<typeof createRedactor>

const lineFields = contracts.logging.operations
  .flatMap(({ responses }) => responses)
  .find(({ line }) => line !== undefined)?.line

/**
 * Creates a redactor. It removes the credentials of a run, the secrets of the account, and visitors' credentials in log rows.
 */
export function createRedactor(credentials: RunCredentials) {
  const variables = variablesOf(credentials)
  const { text } = create({ secrets: [...variables.keys()], lineFields })
  return {
    text,
    /** Replaces a credential of the run by its environment variable, so that a command can repeat the request. Hides all others. */
    headers: (headers: Iterable<readonly [string, string]>): Record<string, string> =>
      Object.fromEntries(
        [...headers].map(([name, value]) => {
          if (!isSecretField(name)) return [name, text(value)]
          const scheme = value.startsWith('Bearer ') ? 'Bearer ' : ''
          const variable = variables.get(value.slice(scheme.length))
          return [name, variable === undefined ? redacted : `${scheme}$${variable}`]
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
