import { decode } from './bytes.ts'
import type { Parse, ParseAs } from './calls.ts'
import type { CredentialSource } from './credentials.ts'
import type { CallError, Failure } from './errors/call-error.ts'
import type { Answered } from './errors/refusal.ts'
import { interrupted, TransportError, type TransportKind } from './errors/transport-error.ts'
import { parseJson } from './json.ts'
import type { Call, Outcome } from './middleware.ts'
import { redactionFor } from './redact.ts'

/** How much of an error body is read, in bytes: enough to decode it, whatever a proxy sends. */
const errorBytes = 65_536

/** What the calls of one client are sent with. */
export interface Exchange {
  /** Makes the request; anew for each attempt, since a body can be sent once. */
  readonly request: (call: Call) => Request
  /** Gets the credential that goes along. */
  readonly header: CredentialSource['header']
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

async function attempt(call: Call, { request, header, parseAs, send, toError }: Exchange): Promise<Outcome> {
  const { progress } = call
  let redact = redactionFor()
  let response: Response | undefined
  let text: string | undefined
  let bytes: Uint8Array<ArrayBuffer> | undefined
  const failed = (kind: TransportKind, what: string, cause?: unknown): Outcome => {
    const error = new TransportError({ ...call, redact, response, text }, kind, what, cause)
    return { data: undefined, error, response }
  }
  const asked = request(call)
  // What has failed when something throws.
  let step: [TransportKind, string] = ['credential', 'was not sent: no credential was given']
  try {
    const credential = await header()
    if (credential) {
      redact = redactionFor(credential[1])
      asked.headers.set(...credential)
    }
    step = ['network', 'got no answer']
    response = await send(asked)
    if (isRedirect(response)) return failed('redirect', 'was answered with a redirect, which is never followed')
    step = ['body', 'has a body that cannot be read to its end']
    if (!response.ok) {
      text = decode(await readBytes(response, { progress, most: errorBytes }))
      return { data: undefined, error: toError({ ...call, redact, response, text }), response }
    }
    let data: unknown
    if (parseAs === 'stream') data = response.body
    else if (parseAs === 'blob' || parseAs === 'arrayBuffer') data = await response[parseAs]()
    else if (typeof parseAs === 'function') {
      bytes = await readBytes(response, { progress, room: parseAs.room })
      data = parseAs(bytes)
    } else {
      // The runtime reads a text quicker, but tells of no progress.
      const body = await (progress ? readBytes(response, { progress }).then(decode) : response.text())
      text = body
      if (parseAs === 'text') data = body
      // A write may succeed without a body whatever its status; a read that was answered has one, or says 204.
      else if (body !== '' || (asked.method === 'GET' && response.status !== 204)) data = parseJson(body)
    }
    return { data, error: undefined, response }
  } catch (cause) {
    if (call.signal?.aborted) return interrupted(call, cause, redact, response)
    if (bytes) text = decode(bytes.subarray(0, errorBytes))
    // The parser's own message quotes the text, unredacted.
    return text === undefined ? failed(...step, cause) : failed('body', 'has a body that is not what was asked for')
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
  { progress, most = 0, room = new Uint8Array() }: ReadOptions,
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
