/** Reads bodies: in chunks or as a whole, with the time limits (watches) that began earlier in the call. */
import { TransportError } from '../errors/transport-error.ts'
import { describeAnswer, exhausted, replaceBody } from './request-facts.ts'
import type { Watch } from './watch.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Body = ReadableStream<Bytes>

const decoder = new TextDecoder()

/**
 * Decodes bytes as UTF-8. Invalid sequences become U+FFFD; a byte order mark at the start is removed.
 *
 * @returns the text
 */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** @returns a copy of the parts, concatenated */
export function concat(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export interface Reading {
  /** Time limits. Each is resumed before a chunk, paused after it, and ended with the body. If one fires, reading fails. */
  readonly watches?: readonly Watch[]
  /** Creates the error for an incomplete body. */
  readonly toError?: (cause: unknown) => unknown
}

/** A body in chunks. */
export interface Chunks {
  /** @returns the next chunk; undefined at the end. @throws the error of `toError`, or a watch's reason */
  next(): Promise<Bytes | undefined>
  /** Stops reading. */
  cancel(): Promise<void>
}

/**
 * Creates the error of a body that cannot be used.
 *
 * @param what what is wrong, as a clause after "a body that"
 * @param text the body, if it was read
 */
export function bodyError(response: Response, what: string, cause?: unknown, text = ''): TransportError {
  return new TransportError({ ...describeAnswer(response), text }, 'body', `has a body that ${what}`, cause)
}

/** @returns a function that creates the error for a body that cannot be read: a RangeError says why, anything else broke */
export function unreadable(response: Response): (cause: unknown) => TransportError {
  return (cause) =>
    cause instanceof RangeError
      ? bodyError(response, cause.message, cause)
      : bodyError(response, 'cannot be read to its end', cause)
}

/** Opens a body. */
export function openBody(body: Body, { watches = [], toError = (cause) => cause }: Reading): Chunks {
  const reader = body.getReader()
  const cancel = async () => {
    for (const { signal, end } of watches) {
      signal.removeEventListener('abort', cancel)
      end()
    }
    await reader.cancel().catch(() => {})
  }
  for (const { signal } of watches) {
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel)
  }
  return {
    cancel,
    async next() {
      for (const { resume } of watches) resume()
      let failure: unknown
      const chunk = await reader.read().catch((cause) => {
        failure = toError(cause)
      })
      const fired = watches.find(({ signal }) => signal.aborted)
      for (const { pause } of watches) pause()
      if (!chunk?.value || fired) cancel()
      if (fired) throw fired.signal.reason
      if (failure) throw failure
      return chunk?.value
    },
  }
}

/** Default maximum length of a body that is held in memory, in bytes. Pages of logs have their own (`request-page.ts`). */
export const maxBodyBytes = 24 * 1024 * 1024

/**
 * Reads a whole body. Joins chunks as they arrive, because joining them at the end would take twice the memory.
 *
 * @param buffer is used if the body fits
 * @throws the error of `toError` for a RangeError, if the decoded body is longer than `maxBytes`
 */
export async function readBytes(
  body: Body | null,
  { maxBytes = maxBodyBytes, ...reading }: Reading & { readonly maxBytes?: number | undefined } = {},
  buffer: Bytes = new Uint8Array(1024),
): Promise<Bytes> {
  const { toError = (cause: unknown) => cause } = reading
  const chunks = body && openBody(body, reading)
  let bytes = buffer
  let length = 0
  for (;;) {
    const chunk = await chunks?.next()
    if (!chunk) return bytes.subarray(0, length)
    const start = length
    length += chunk.length
    if (length > maxBytes) {
      await chunks?.cancel()
      const error = toError(new RangeError(`is longer than the limit of ${maxBytes} bytes`))
      exhausted.add(Object(error)) // the same request would get the same body
      throw error
    }
    if (length > bytes.length) {
      const shorter = bytes
      bytes = new Uint8Array(Math.min(length * 2, maxBytes))
      bytes.set(shorter)
    }
    bytes.set(chunk, start)
  }
}

/**
 * Makes a watch also limit the reading of a response's body.
 *
 * @returns the response; a copy if it has a body
 */
export function watchBody(response: Response, watch: Watch): Response {
  const { body } = response
  if (!body || response.headers.get('Content-Length') === '0') {
    watch.end()
    return response
  }
  const { next, cancel } = openBody(body, { watches: [watch] })
  const stream = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const chunk = await next()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
  return replaceBody(response, stream)
}
