import type { DeliveryConfigOf } from '../config/config.ts'
import { readSecrets } from '../config/secret.ts'
import { DeliveryError } from '../errors.ts'
import { networkFailure, readAtMost } from '../sinks/network.ts'

/** Statuses that mean that a receiver will never accept a piece. A wrong address or credential has another status. */
const refusals = [400, 413, 422]
const responseMs = 60_000
/** Maximum length of a decoded response. A bulk response to a piece has less than 2 MB. */
const maxResponseBytes = 8 * 2 ** 20

/**
 * Creates functions for a server that takes pieces by POST.
 *
 * @param env environment variables with the secrets of the headers; they are read for each request
 */
export function createPost(
  { url: address, headers: secrets }: Pick<DeliveryConfigOf<'http'>, 'url' | 'headers'>,
  env: NodeJS.ProcessEnv,
) {
  const { origin } = new URL(address)

  /** Checks that `fetch` accepts the headers. @throws DeliveryError if not; ConfigurationError if a secret cannot be read */
  async function checkHeaders(): Promise<void> {
    toHeaders(await readSecrets(secrets, env))
  }
  /** Runs a request with a time limit. @throws DeliveryError, or the signal's reason */
  async function limited<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await request(AbortSignal.any([signal, AbortSignal.timeout(responseMs)]))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DeliveryError) throw error
      throw new DeliveryError('transient', `${origin} cannot be reached (${networkFailure(error)}).`)
    }
  }
  /** Sends a HEAD request to the origin, without credentials. Any response shows that a server listens. @throws DeliveryError */
  async function connect(signal: AbortSignal): Promise<void> {
    const response = await limited(signal, (signal) => fetch(origin, { method: 'HEAD', redirect: 'manual', signal }))
    await response.body?.cancel()
  }
  /**
   * Sends one POST.
   *
   * @returns the headers and the body of a 2xx response. Redirects are not followed, and a body of more than 8 MiB is a transient error
   * @throws DeliveryError, or the signal's reason. Messages have the origin of the URL and the status, never content of the
   *   response, which may repeat credentials
   */
  async function post(
    body: Uint8Array<ArrayBuffer>,
    fixed: Readonly<Record<string, string>>,
    signal: AbortSignal,
    query: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly headers: Headers; readonly body: Buffer }> {
    const url = new URL(address)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers = toHeaders({ ...(await readSecrets(secrets, env)), ...fixed })
    return limited(signal, async (signal) => {
      const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
      if (response.ok) {
        const content = response.body ? await readAtMost(response.body, maxResponseBytes) : Buffer.alloc(0)
        if (!content) throw new DeliveryError('transient', `${origin} sent a response of more than 8 MiB.`)
        return { headers: response.headers, body: content }
      }
      await response.body?.cancel().catch(() => {}) // of a failure, only the status matters
      throw failureOf(response, origin)
    })
  }
  return { checkHeaders, connect, post }
}

function failureOf({ status, headers }: Response, origin: string): DeliveryError {
  if (refusals.includes(status)) return new DeliveryError('refused', `${origin} answered ${status}.`)
  const why = [401, 403].includes(status) ? ': it refuses the credentials' : ''
  const retryAfterMs = Number(headers.get('retry-after')) * 1000 || 0
  return new DeliveryError('transient', `${origin} answered ${status}${why}.`, { retryAfterMs })
}

/** @throws DeliveryError for a header that HTTP does not allow; the error of `fetch` would quote its value */
function toHeaders(entries: Readonly<Record<string, string>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(entries)) {
    try {
      headers.set(name, value)
    } catch {
      const sentence = `Invalid header ${name} in deliver: expected a name and a value that HTTP allows.`
      throw new DeliveryError('transient', sentence)
    }
  }
  return headers
}
