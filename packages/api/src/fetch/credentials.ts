/** The credentials of §5. Both interfaces accept both schemes; the contract states the schemes of each operation. */

/** A credential, or a function that returns one. The function is called once, and again if the platform refuses its value. */
export type Credential = string | (() => string | Promise<string>)

/** At most one credential. An undefined value counts as absent. */
export type Credentials =
  | { readonly accessKey?: Credential | undefined; readonly bearer?: undefined }
  | { readonly bearer?: Credential | undefined; readonly accessKey?: undefined }

/** Name and value of the header that carries a credential. */
export type CredentialHeader = readonly [name: string, value: string]

/** Source of a client's credential. */
export interface CredentialSource {
  /** Whether another value can be requested after a refusal. */
  readonly isRenewable: boolean
  /** @throws TypeError for a value that is invalid in a header, and errors of the caller's function */
  header(): CredentialHeader | undefined | Promise<CredentialHeader>
  /**
   * Requests a new value after a refusal. Concurrent calls share one renewal.
   *
   * @returns whether the new value differs from the refused one
   */
  renew(refused: CredentialHeader): Promise<boolean>
}

/**
 * Creates the source of the credential header (§5).
 *
 * @param keyHeader the header of the API key
 * @throws TypeError if both credentials are given, or if a text is invalid in a header; the message does not repeat the text
 */
export function credentialSource({ accessKey, bearer }: Credentials, keyHeader: string): CredentialSource {
  const isKey = accessKey !== undefined
  const credential = accessKey ?? bearer
  if (isKey && bearer !== undefined) throw new TypeError('Credentials: both accessKey and bearer are given')
  const toHeader = (value: unknown): CredentialHeader => {
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      const name = isKey ? 'accessKey' : 'bearer'
      throw new TypeError(`Credentials: ${name} must be visible ASCII without spaces`)
    }
    return isKey ? [keyHeader, value] : ['Authorization', `Bearer ${value}`]
  }
  if (typeof credential !== 'function') {
    const header = credential === undefined ? credential : toHeader(credential)
    return { isRenewable: false, header: () => header, renew: async () => false }
  }

  let current: Promise<CredentialHeader> | undefined
  const header = () => {
    const requested = current ?? Promise.resolve().then(credential).then(toHeader)
    current = requested
    requested.catch(() => {
      if (current === requested) current = undefined
    })
    return requested
  }
  return {
    isRenewable: true,
    header,
    async renew([, refused]) {
      const known = current
      const value = await known?.catch(() => undefined)
      if (current === known && value?.[1] === refused) current = undefined
      return (await header())[1] !== refused
    },
  }
}
