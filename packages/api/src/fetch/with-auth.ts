import { TransportError } from '../errors/transport-error.ts'
import { addressOf, describeCall, endCall, repeatableInput, withHeader } from './call.ts'
import { createWrapper, type FetchWrapper, type OutgoingRequest } from './wrapper.ts'

/** A credential, or a function that returns one. The function is called once, and again if it failed or the platform refuses its value. */
export type Credential = string | (() => string | Promise<string>)

/** At most one credential. An undefined value counts as absent. */
export type Credentials =
  | { readonly accessKey?: Credential | undefined; readonly bearer?: undefined }
  | { readonly bearer?: Credential | undefined; readonly accessKey?: undefined }

/** Options of `withAuth`: at most one credential, and its destination. */
export type AuthOptions = Credentials & {
  /** The credential is sent to the origin of this URL only. */
  readonly baseUrl: string | URL
  /** The header of the API key; `AccessKey` by default (§5). */
  readonly keyHeader?: string | undefined
  /** The statuses that mean an invalid credential; 401 by default. The logging client sets 401 and 403 (§7). */
  readonly renewOn?: readonly number[] | undefined
}

/**
 * Adds a credential (§5), for one origin only and never after a redirect. The credential is not in the request itself,
 * so that outer wrappers and middlewares never see it. If the platform refuses the value of a credential function, the function
 * is called again, and if its value differs, the request is repeated once. This is safe for writes too, because a refused request has
 * no effect.
 *
 * @throws TypeError if both credentials are given, or if a credential that is not a function is invalid in a header
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withAuth({ accessKey, baseUrl: 'https://api.example.com' })])
 */
export function withAuth({
  baseUrl,
  keyHeader = 'AccessKey',
  renewOn = [401],
  accessKey,
  bearer,
}: AuthOptions): FetchWrapper {
  const isKey = accessKey !== undefined
  if (isKey && bearer !== undefined) throw new TypeError('Credentials: both accessKey and bearer are given')
  const toHeader = (value: unknown): CredentialHeader => {
    // The message does not repeat the text.
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value))
      throw new TypeError(`Credentials: ${isKey ? 'accessKey' : 'bearer'} must be visible ASCII without spaces`)
    return isKey ? [keyHeader, value] : ['Authorization', `Bearer ${value}`]
  }
  const prefix = `${new URL(baseUrl).origin}/`
  const credential = isKey ? accessKey : bearer
  if (credential === undefined) return (fetch) => fetch
  const takesNone = ({ input, call }: OutgoingRequest) => call.isOpen || !addressOf(input).startsWith(prefix)
  if (typeof credential !== 'function') {
    const header = toHeader(credential)
    return createWrapper(async (passing, send) =>
      send(passing.input, takesNone(passing) ? passing.init : withCredential(passing, header)),
    )
  }
  const source = createSource(async () => toHeader(await credential()))

  return createWrapper(async (passing, send) => {
    const { input, init, call } = passing
    if (takesNone(passing)) return send(input, init)
    const currentHeader = () =>
      source.header().catch((cause) => {
        const what = 'was not sent: the credential could not be obtained'
        throw new TransportError(describeCall(call), 'credential', what, cause)
      })
    const header = await currentHeader()
    const response = await send(repeatableInput(passing), withCredential(passing, header))
    const isRefused = renewOn.includes(response.status)
    if (!isRefused || !(await source.renew(header).catch(() => false))) return response
    if (init.body instanceof ReadableStream) return response // a stream cannot be sent twice
    endCall(call)
    return send(input, withCredential(passing, await currentHeader()))
  })
}

function withCredential({ init, call }: OutgoingRequest, [name, value]: CredentialHeader) {
  call.secret = value
  return { ...withHeader(init, name, value), redirect: 'manual' as const }
}

type CredentialHeader = readonly [name: string, value: string]

/**
 * The source of the credential header (§5): `header` returns it, `renew` requests another value after a refusal and returns whether
 * it differs. Concurrent calls share one renewal.
 */
function createSource(request: () => Promise<CredentialHeader>) {
  let current: Promise<CredentialHeader> | undefined
  const header = () => {
    const requested = current ?? request()
    current = requested
    requested.catch(() => {
      if (current === requested) current = undefined
    })
    return requested
  }
  return {
    header,
    async renew([, refused]: CredentialHeader) {
      const known = current
      const value = await known?.catch(() => undefined)
      if (current === known && value?.[1] === refused) current = undefined
      return (await header())[1] !== refused
    },
  }
}
