import { innermostCause } from '@cdn/kit/error-message'
import { networkReason } from '@cdn/kit/network-reason'
import { backOff, sleep } from '@cdn/kit/wait'
import { SinkError } from '../errors.ts'

/** Attempts per request to a sink. If all fail, the exporter waits and repeats the window. */
const attempts = 4
/**
 * Time after which a failed request is not repeated, in ms. So a request that timed out (300 s) fails without a repetition. The log
 * then reports it, and the cycle ends before the health check counts it as hanging.
 */
const repeatedForMs = 60_000
const pauses = { firstMs: 500, maxMs: 5_000, randomShare: 1 }

/**
 * Runs a request, and repeats it after transient errors, up to four attempts. The pauses grow, and are random, so that clients do
 * not return together.
 *
 * @param request must be idempotent
 * @throws SinkError, or the signal's reason
 */
export async function withRetries<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await request()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof SinkError) || error.kind !== 'transient') throw error
      if (attempt === attempts || performance.now() - begun > repeatedForMs) throw error
      await sleep(backOff(attempt, pauses), signal)
    }
  }
}

/**
 * A short reason why a `fetch` failed: the refusal of a proxy or the error code of the socket if known, otherwise the name of the
 * error. Contains no address and no headers.
 *
 * @param error thrown by `fetch` or while its body was read
 */
export function networkFailure(error: unknown): string {
  const cause = innermostCause(error)
  return networkReason(error) ?? (cause instanceof Error ? cause.name : 'unknown')
}

/**
 * Reads a whole body of limited length.
 *
 * @param maxBytes limit of the decoded body
 * @returns undefined if the body is longer; the rest is not read, and the stream is cancelled
 * @throws the error of the stream
 */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
