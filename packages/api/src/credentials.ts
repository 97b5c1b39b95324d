/** The credentials of §5. Both interfaces take either scheme; which operation takes which, the contract says. */

/** Exactly one credential, or none. Values that are undefined count as absent. */
export type Credentials =
  | { readonly accessKey?: string | undefined; readonly bearer?: undefined }
  | { readonly bearer?: string | undefined; readonly accessKey?: undefined }

/**
 * Makes the header that carries a credential (§5).
 *
 * @returns name and value; undefined where there is no credential
 * @throws TypeError when both are given, or one cannot stand in a header; the message does not repeat it
 */
export function credentialHeader({ accessKey, bearer }: Credentials): readonly [string, string] | undefined {
  if (accessKey !== undefined && bearer !== undefined) {
    throw new TypeError('Credentials: both accessKey and bearer are given; give one of them')
  }
  if (accessKey !== undefined) return ['AccessKey', checked('accessKey', accessKey)]
  if (bearer !== undefined) return ['Authorization', `Bearer ${checked('bearer', bearer)}`]
  return undefined
}

function checked(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value
  throw new TypeError(`Credentials: ${name} must be a text of visible ASCII characters without spaces`)
}
