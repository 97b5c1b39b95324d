/** Secrets in the data: keys of the account, and credentials of visitors in extended logs. Output hides them by default. */

/** Names that may belong to a credential. The contract decides, but it is loaded only if such a name occurs. */
const suspicious = /pass|pwd|secret|token|credential|auth|cookie|key/i

export const masked = '[hidden]'

/**
 * Hides credentials.
 *
 * @param value any value parsed from JSON
 * @returns the value itself if it has no credential, otherwise a copy with the credentials hidden
 */
export async function mask(value: unknown): Promise<unknown> {
  return isSuspicious(value) ? (await import('@cdn/api/contract')).maskSecrets(value, masked) : value
}

function isSuspicious(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, field]) => (field !== null && suspicious.test(name)) || isSuspicious(field))
}
