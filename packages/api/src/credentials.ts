/** The credentials of §5. Both interfaces take either scheme; which operation takes which, the contract says. */

/** A credential, or a function that gets a fresh one: called once, and again when the platform has refused its value. */
export type Credential = string | (() => string | Promise<string>)

/** Exactly one credential, or none. Values that are undefined count as absent. */
export type Credentials =
  | { readonly accessKey?: Credential | undefined; readonly bearer?: undefined }
  | { readonly bearer?: Credential | undefined; readonly accessKey?: undefined }

/** Name and value of the header that carries a credential. */
export type CredentialHeader = readonly [name: string, value: string]

/** Where the calls of one client get their credential. */
export interface CredentialSource {
  /** @throws TypeError for a value that cannot stand in a header, and what the caller's function throws */
  header(): CredentialHeader | undefined | Promise<CredentialHeader>
  /**
   * Takes note that a value was refused. Of many calls that find so at once, one asks for a fresh value.
   *
   * @returns whether there is another value to try
   */
  renew(refused: CredentialHeader | undefined): Promise<boolean>
}

/**
 * Makes the header that carries a credential (§5).
 *
 * @throws TypeError when both are given, or a text cannot stand in a header; the message does not repeat it
 */
export function credentialSource({ accessKey, bearer }: Credentials): CredentialSource {
  const isKey = accessKey !== undefined
  const given = accessKey ?? bearer
  if (isKey && bearer !== undefined) {
    throw new TypeError('Credentials: both accessKey and bearer are given')
  }
  const toHeader = (value: unknown): CredentialHeader => {
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      const name = isKey ? 'accessKey' : 'bearer'
      throw new TypeError(`Credentials: ${name} must be visible ASCII without spaces`)
    }
    return isKey ? ['AccessKey', value] : ['Authorization', `Bearer ${value}`]
  }
  if (typeof given !== 'function') {
    const header = given === undefined ? given : toHeader(given)
    return { header: () => header, renew: async () => false }
  }

  let current: Promise<CredentialHeader> | undefined
  const header = () => {
    const asked = current ?? Promise.resolve().then(given).then(toHeader)
    current = asked
    asked.catch(() => {
      if (current === asked) current = undefined
    })
    return asked
  }
  return {
    header,
    async renew(refused) {
      const known = current
      const value = await known?.catch(() => undefined)
      if (current === known && value?.[1] === refused?.[1]) current = undefined
      return (await header())[1] !== refused?.[1]
    },
  }
}
