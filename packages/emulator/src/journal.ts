import type { InterfaceName } from '@cdn/api/contract'

/** A request that the emulator answered. */
export interface JournalEntry {
  /** By the emulator's clock. */
  readonly at: Date
  readonly interface: InterfaceName
  /** `x-name`; absent where the contract has no such operation. */
  readonly operation?: string
  readonly method: string
  /** Path and query, credentials redacted. */
  readonly path: string
  readonly status: number
}

/** Every request since the start, oldest first. */
export interface Journal {
  readonly entries: readonly JournalEntry[]
  clear(): void
}

const credentialName = /(key|token|secret|password|authorization|bearer|jwt)/i
const jwt = /eyJ[\w-]*\.[\w-]*\.[\w-]*/g

/**
 * A path and query that can be shown: what looks like a credential is replaced.
 *
 * @param path as sent
 * @param query as sent, without the question mark
 * @param secrets texts that must not be shown wherever they stand
 */
export function redact(path: string, query: string, secrets: Iterable<string>): string {
  const pairs = query.split('&').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return value.length > 0 && credentialName.test(name) ? `${name}=REDACTED` : pair
  })
  let shown = (query ? `${path}?${pairs.join('&')}` : path).replace(jwt, 'REDACTED')
  for (const secret of secrets) {
    shown = shown.replaceAll(encodeURIComponent(secret), 'REDACTED').replaceAll(secret, 'REDACTED')
  }
  return shown
}
