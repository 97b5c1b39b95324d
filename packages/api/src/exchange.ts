import { decode } from './bytes.ts'
import type { Parse, ParseAs } from './calls.ts'
import type { CredentialHeader, CredentialSource } from './credentials.ts'
import type { CallError, Failure } from './errors/call-error.ts'
import type { Answered } from './errors/refusal.ts'
import { interrupted, TransportError, type TransportKind } from './errors/transport-error.ts'
import { parseJson } from './json.ts'
import type { Call, Outcome } from './middleware.ts'
import { redactionFor } from './redact.ts'

/** How much of an error body is read, in bytes: enough to decode it, whatever a proxy sends. */
const errorBytes = 65_536

export interface Exchange {
  /** Makes the request; anew for each attempt, since a body can be sent once. */
  readonly request: () => Request
  readonly credentials: CredentialSource
  /** Takes note of the credential that goes along. */
  readonly used: (credential: CredentialHeader | undefined) => void
  readonly parseAs: ParseAs | Parse
  readonly send: (request: Request) => Promise<Response>
  readonly toError: (failure: Failure & Answered) => CallError
}

/**
 * Sends one request and reads its answer.
 *
 * @returns data or an error value
 * @throws what a hook throws
 */
export async function exchange(call: Call, asked: Exchange): Promise<Outcome> {
  call.observer?.request?.(call)
  const outcome = await attempt(call, asked)
  call.observer?.response?.(call, { status: outcome.response?.status, error: outcome.error })
  return outcome
}

async function attempt(call: Call, asked: Exchange): Promise<Outcome> {
  const { parseAs } = asked
  const { progress } = call
  let redact = redactionFor()
  let isReady = false
  let response: Response | undefined
  let text: string | undefined
  let bytes: Uint8Array<ArrayBuffer> | undefined
  const failed = (kind: TransportKind, what: string, cause?: unknown): Outcome => {
    const error = new TransportError({ ...call, redact, response, text }, kind, what, cause)
    return { data: undefined, error, response }
  }
  const request = asked.request()
  try {
    const credential = await asked.credentials.header()
    if (credential) {
      redact = redactionFor(credential[1])
      request.headers.set(...credential)
    }
    asked.used(credential)
    isReady = true
    response = await asked.send(request)
    if (isRedirect(response)) {
      return failed('redirect', 'was answered with a redirect; none is followed, because the credential would go along')
    }
    if (!response.ok) {
      text = decode(await readBytes(response, { progress, most: errorBytes }))
      return { data: undefined, error: asked.toError({ ...call, redact, response, text }), response }
    }
    if (typeof parseAs === 'function') {
      bytes = await readBytes(response, { progress, room: parseAs.room })
      return { data: parseAs(bytes), error: undefined, response }
    }
    const isJson = parseAs === 'json'
    if (parseAs === 'stream') return { data: response.body, error: undefined, response }
    if (!isJson && parseAs !== 'text') return { data: await response[parseAs](), error: undefined, response }
    const body = await (progress ? readBytes(response, { progress }).then(decode) : response.text())
    // A write may succeed without a body whatever its status; a read that was answered has one, or says 204.
    const isAbsent = isJson && body === '' && (request.method !== 'GET' || response.status === 204)
    text = body
    return { data: isAbsent ? undefined : isJson ? parseJson(body) : body, error: undefined, response }
  } catch (cause) {
    if (call.signal?.aborted) return interrupted(call, cause, redact, response)
    // The parser's own message quotes the text, unredacted.
    if (bytes) text = decode(bytes.subarray(0, errorBytes))
    if (text !== undefined) return failed('body', text === '' ? 'has an empty body' : 'has a body that is no JSON')
    if (!isReady) return failed('credential', 'was not sent: no credential was given', cause)
    return response
      ? failed('body', 'broke off before the body was complete', cause)
      : failed('network', 'got no answer', cause)
  }
}

/** Browsers hide a redirect behind status 0; a fetch that followed one all the same says so. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400) || redirected
}

interface ReadOptions {
  readonly progress?: (() => void) | undefined
  /** How much is read, in bytes. A body that breaks off is of use as far as it came: then that is what is given. */
  readonly most?: number
  /** Where it is read into, if it has room there. */
  readonly room?: Uint8Array<ArrayBuffer> | undefined
}

/** Reads a body, or its start. Pieces are put together as they come: kept apart, they weigh twice as much. */
async function readBytes(
  { body }: Response,
  { progress, most = 0, room = new Uint8Array(65_536) }: ReadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  let bytes = room
  let length = 0
  try {
    while (reader && !(most && length >= most)) {
      const { value } = await reader.read()
      progress?.()
      if (!value) break
      const start = length
      length += value.length
      if (length > bytes.length) {
        const shorter = bytes
        bytes = new Uint8Array(length * 2)
        bytes.set(shorter)
      }
      bytes.set(value, start)
    }
    await reader?.cancel()
  } catch (cause) {
    if (!most) throw cause
  }
  return bytes.subarray(0, length)
}
