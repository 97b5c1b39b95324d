import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { SinkError } from '../../errors.ts'
import { networkFailure } from '../network-failure.ts'
import { readAtMost } from '../read-at-most.ts'
import { refusedRecords } from './encode.ts'

export interface OtlpPlace {
  /** Base URL of the collector; `v1/logs` is appended. */
  readonly endpoint: string
  /** Called before each request, because credentials may change at runtime. */
  headers(): Promise<Readonly<Record<string, string>>>
}

const gzip = promisify(gzipWithCallback)
/** Attempts per request. If all fail, the exporter waits and repeats the window. */
const attempts = 4
const firstPauseMs = 500
/** Maximum pause that a Retry-After of the collector can cause. */
const maxPauseMs = 30_000
const answerMs = 60_000
/** Maximum length of a decoded answer, in MiB. Usually it has a few bytes. */
const maxAnswerMiB = 1
/** The retryable status codes of OTLP/HTTP. */
const passing = new Set([408, 429, 502, 503, 504])

/** Result of an attempt: the collector accepted all but `refused` records, or the request is retried after `waitMs`. */
type Answer = { readonly refused: number } | { readonly waitMs: number }

/**
 * Creates a function that sends an export request.
 *
 * @returns a function that resolves to the number of refused records; OTLP forbids a retry for them
 * @throws SinkError
 */
export function createOtlpClient(
  place: OtlpPlace,
): (body: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<number> {
  const url = `${place.endpoint.replace(/\/+$/, '')}/v1/logs`

  async function post(body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Response> {
    const fixed = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }
    const headers = toHeaders({ ...(await place.headers()), ...fixed })
    const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    try {
      return await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal: limited })
    } catch (error) {
      signal.throwIfAborted()
      throw new SinkError(
        'transient',
        `The collector at ${place.endpoint} cannot be reached (${networkFailure(error)}).`,
      )
    }
  }

  async function attempt(body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Answer> {
    const response = await post(body, signal)
    if (response.ok) {
      const empty = new Uint8Array()
      const content = response.body ? await readAtMost(response.body, maxAnswerMiB * 2 ** 20).catch(() => empty) : empty
      // Whether the collector has the records is unknown. OTLP is at least once, so they are sent again.
      if (!content)
        throw new SinkError(
          'transient',
          `The collector at ${place.endpoint} sent an answer of more than ${maxAnswerMiB} MiB.`,
        )
      return { refused: response.headers.get('content-type')?.includes('protobuf') ? refusedRecords(content) : 0 }
    }
    // Of an error, only the status matters.
    await response.body?.cancel().catch(() => {})
    if (!passing.has(response.status)) {
      const why = [401, 403].includes(response.status) ? ': the credentials are refused' : ''
      throw new SinkError('permanent', `The collector at ${place.endpoint} answered ${response.status}${why}.`)
    }
    return { waitMs: Math.min(Number(response.headers.get('retry-after')) * 1000 || 0, maxPauseMs) }
  }

  return async (body, signal) => {
    const compressed = Uint8Array.from(await gzip(body))
    for (let n = 1; ; n++) {
      const answer = await attempt(compressed, signal).catch((error: unknown): Answer => {
        if (error instanceof SinkError && error.kind === 'transient' && n < attempts) return { waitMs: 0 }
        throw error
      })
      if ('refused' in answer) return answer.refused
      if (n === attempts) throw new SinkError('transient', `The collector at ${place.endpoint} is busy.`)
      await sleep(Math.max(answer.waitMs, Math.random() * firstPauseMs * 2 ** n), undefined, { signal })
    }
  }
}

/** @throws SinkError for a header that HTTP does not allow; the error of `fetch` would quote its value */
function toHeaders(entries: Readonly<Record<string, string>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(entries)) {
    try {
      headers.set(name, value)
    } catch {
      const sentence = `Invalid header ${name} in sink.headers: expected a name and a value that HTTP allows.`
      throw new SinkError('permanent', sentence)
    }
  }
  return headers
}
