import { contracts } from '@cdn/api/contract'
import { UsageError } from '../../errors/command-error.ts'

/** @throws UsageError that does not repeat the value */
export function readPairs(pairs: readonly string[], option: string): [string, string][] {
  return pairs.map((pair) => {
    const [name = '', value] = pair.split(/=(.*)/s)
    if (name === '' || value === undefined) throw new UsageError(`${option} must be NAME=VALUE`)
    return [name, value]
  })
}

/** Headers that carry a credential: the contract's, and the common ones beside them. */
const credentialHeaders: ReadonlySet<string> = new Set([
  ...Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header.toLowerCase())),
  'cookie',
  'proxy-authorization',
])

/**
 * Reads headers.
 *
 * @throws UsageError for one that carries a credential: an argument is seen by everybody on the machine and stays in the
 *   shell's history
 */
export function readHeaders(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((header) => {
      const [name = '', value] = header.split(/:(.*)/s)
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || value === undefined) {
        throw new UsageError('--header must be NAME:VALUE')
      }
      if (credentialHeaders.has(name.toLowerCase())) {
        throw new UsageError(
          `--header ${name} would put a credential into the shell's history. Run cdn auth login, or set CDN_ACCESS_KEY or CDN_BEARER_TOKEN.`,
        )
      }
      return [name, value.trim()]
    }),
  )
}
