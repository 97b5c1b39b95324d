import type { CallResult, ParseAs } from './calls.ts'
import type { Refusal } from './errors/refusal.ts'
import { TransportError, type TransportFailure } from './errors/transport-error.ts'
import { parseJson } from './json.ts'
import { redactionFor } from './redact.ts'

/** How much of an error body is read, in bytes: enough to decode it, whatever a proxy sends. */
const errorBytes = 65_536

export interface Exchange<ApiError> {
  readonly request: Request
  /** Method and path template, for messages. */
  readonly operation: string
  readonly parseAs: ParseAs
  readonly signal: AbortSignal | undefined
  readonly send: (request: Request) => Promise<Response>
  readonly toError: (refusal: Refusal) => ApiError
}

/**
 * Sends one request and reads its answer.
 *
 * @returns data or an error value; never rejects
 */
export async function exchange<ApiError>(asked: Exchange<ApiError>): Promise<CallResult<unknown, ApiError>> {
  const { request, operation, parseAs, signal, send, toError } = asked
  const redact = redactionFor(request.headers)
  let response: Response | undefined
  const failed = (
    failure: Pick<TransportFailure, 'kind' | 'what' | 'text' | 'cause'>,
  ): CallResult<unknown, ApiError> => {
    const status = response && { status: response.status }
    return { data: undefined, error: new TransportError({ operation, redact, ...status, ...failure }), response }
  }
  try {
    response = await send(request)
    if (isRedirect(response)) {
      const what = 'was answered with a redirect; none is followed, because the credential would go along'
      return failed({ kind: 'redirect', what })
    }
    if (!response.ok) {
      const text = await readStart(response)
      return { data: undefined, error: toError({ operation, status: response.status, text, redact }), response }
    }
    if (parseAs === 'stream') return { data: response.body, error: undefined, response }
    if (parseAs !== 'json') return { data: await response[parseAs](), error: undefined, response }
    const text = await response.text()
    // A write may succeed without a body whatever its status; a read that was answered has one, or says 204.
    if (text === '' && (request.method !== 'GET' || response.status === 204)) {
      return { data: undefined, error: undefined, response }
    }
    try {
      return { data: parseJson(text), error: undefined, response }
    } catch {
      // The parser's own message quotes the text, unredacted.
      return failed({ kind: 'body', what: text === '' ? 'has an empty body' : 'has a body that is no JSON', text })
    }
  } catch (cause) {
    if (signal?.aborted) return failed({ kind: 'aborted', what: 'was aborted', cause })
    if (response) return failed({ kind: 'body', what: 'broke off before the body was complete', cause })
    return failed({ kind: 'network', what: 'got no answer', cause })
  }
}

/** Browsers hide a redirect behind status 0; a fetch that followed one all the same says so. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400) || redirected
}

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  if (!reader) return text
  try {
    for (let bytes = 0; bytes < errorBytes; ) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.length
      text += decoder.decode(value, { stream: true })
    }
    await reader.cancel()
  } catch {
    // The status is known; a body that breaks off must not hide it.
  }
  return text
}
