import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { SinkError } from '../../errors.ts'
import { passOn } from '../at-least-once.ts'
import { networkFailure, readAtMost, withRetries } from '../network.ts'
import type { Sink } from '../sink.ts'
import { encodeRequest, refusedRecords } from './records.ts'

/** Bytes of lines per request. Collectors commonly accept 4 to 20 MB, and a record is about as long as its line. */
const requestBytes = 1024 * 1024
const lineFeed = 10

/** A sink that sends log records to a collector, by OTLP over HTTP in protobuf. */
export function openOtlpSink(place: OtlpPlace): Sink {
  const send = createOtlpClient(place)
  const check = async (signal: AbortSignal) => void (await send(encodeRequest('', Date.now()), signal))
  return passOn({ name: 'otlp', check, async close() {} }, (signal) => {
    let waiting: Buffer = Buffer.alloc(0)
    let refused = 0

    async function sendAll(minBytes: number): Promise<void> {
      while (waiting.length > 0 && waiting.length >= minBytes) {
        const end = waiting.indexOf(lineFeed, Math.min(requestBytes, waiting.length) - 1) + 1
        refused += await send(encodeRequest(waiting.toString('utf8', 0, end), Date.now()), signal)
        waiting = waiting.subarray(end)
      }
    }

    return {
      async pass({ bytes }) {
        waiting = Buffer.concat([waiting, bytes])
        await sendAll(requestBytes)
      },
      async end() {
        await sendAll(0)
        return refused
      },
    }
  })
}

export interface OtlpPlace {
  /** Base URL of the collector; `v1/logs` is appended. */
  readonly endpoint: string
  /** Called before each request, because credentials may change at runtime. */
  headers(): Promise<Readonly<Record<string, string>>>
}

const gzip = promisify(gzipWithCallback)
/** Maximum pause that a Retry-After of the collector can cause. */
const maxPauseMs = 30_000
const answerMs = 60_000
/** Maximum length of a decoded answer, in MiB. Usually it has a few bytes. */
const maxAnswerMiB = 1
/** The retryable status codes of OTLP/HTTP. */
const passing = new Set([408, 429, 502, 503, 504])

/** Creates a function that sends an export request, and returns the number of refused records. OTLP forbids to send them again. */
function createOtlpClient(place: OtlpPlace): (body: Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<number> {
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

  async function attempt(body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<number> {
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
      return response.headers.get('content-type')?.includes('protobuf') ? refusedRecords(content) : 0
    }
    // Of an error, only the status matters.
    await response.body?.cancel().catch(() => {})
    if (!passing.has(response.status)) {
      const why = [401, 403].includes(response.status) ? ': the credentials are refused' : ''
      throw new SinkError('permanent', `The collector at ${place.endpoint} answered ${response.status}${why}.`)
    }
    const retryAfterMs = Math.min(Number(response.headers.get('retry-after')) * 1000 || 0, maxPauseMs)
    throw new SinkError('transient', `The collector at ${place.endpoint} is busy.`, { retryAfterMs })
  }

  return async (body, signal) => {
    const compressed = Uint8Array.from(await gzip(body))
    return withRetries(signal, () => attempt(compressed, signal))
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
