import { TransportError } from '../errors/transport-error.ts'
import { type CredentialHeader, type CredentialSource, type Credentials, credentialSource } from './credentials.ts'
import { copyRequest, describeRequest, repeatable, requestFacts } from './request-facts.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/** Options of `withAuth`: at most one credential, and its destination. */
export type AuthOptions = Credentials & {
  /** The credential is sent to the origin of this URL only. */
  readonly baseUrl: string | URL
  /** The header of the API key; `AccessKey` by default (§5). */
  readonly keyHeader?: string | undefined
  /** The statuses that mean an invalid credential; 401 by default, 401 and 403 on the logging interface (§7). */
  readonly renewOn?: readonly number[] | undefined
}

/**
 * Adds a credential (§5), for one origin only and never after a redirect. The credential is in a copy of the request,
 * so that outer wrappers and middlewares never see it. If the platform refuses the value of a credential function, the function
 * is called again and the request is repeated once. This is safe for writes too, because a refused request has no effect.
 *
 * @throws TypeError if both credentials are given, or if a credential is invalid in a header
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withAuth({ accessKey, baseUrl: 'https://api.example.com' })])
 */
export function withAuth({
  baseUrl,
  keyHeader = 'AccessKey',
  renewOn = [401],
  ...credentials
}: AuthOptions): FetchWrapper {
  const source = credentialSource(credentials, keyHeader)
  const prefix = `${new URL(baseUrl).origin}/`
  return createWrapper(async (request, send) => {
    if (!request.url.startsWith(prefix) || requestFacts(request).isOpen) return send(request)
    const credential = await credentialFor(request, source)
    if (!credential) return send(request)
    const response = await send(withCredential(source.isRenewable ? repeatable(request) : request, credential))
    const isRefused = source.isRenewable && renewOn.includes(response.status)
    if (!isRefused || !(await source.renew(credential).catch(() => false))) return response
    await response.body?.cancel().catch(() => {})
    const renewed = await credentialFor(request, source)
    return renewed ? send(withCredential(request, renewed)) : response
  })
}

async function credentialFor(request: Request, source: CredentialSource): Promise<CredentialHeader | undefined> {
  try {
    return await source.header()
  } catch (cause) {
    const what = 'was not sent: the credential could not be obtained'
    throw new TransportError(describeRequest(request), 'credential', what, cause)
  }
}

function withCredential(request: Request, [name, value]: CredentialHeader): Request {
  const headers = new Headers(request.headers)
  headers.set(name, value)
  requestFacts(request).secret = value
  return copyRequest(request, { headers, redirect: 'manual' })
}
