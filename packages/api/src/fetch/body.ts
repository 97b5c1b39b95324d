import { type Call, endLimits, type TimeLimit } from './call.ts'

export type Bytes = Uint8Array<ArrayBuffer>
export type BodyReader = Pick<ReadableStreamDefaultReader<Bytes>, 'read' | 'cancel'>

/** Reads a body within time limits, which end with the body. The innermost signal also fires with the outer limits, so only it is watched. */
export function limitedReader(body: ReadableStream<Bytes>, limits: readonly TimeLimit[]): BodyReader {
  const reader = body.getReader()
  const [innermost] = limits
  if (!innermost) return reader
  const { signal } = innermost
  const cancel = (reason?: unknown) => {
    for (const limit of limits) limit.end()
    return reader.cancel(reason)
  }
  // After an abort, a pending read resolves as if the body had ended.
  innermost.whenAborted((reason) => void cancel(reason).catch(() => {}))
  return {
    cancel,
    async read() {
      for (const limit of limits) limit.wait(true)
      try {
        const chunk = await reader.read()
        signal.throwIfAborted()
        for (const limit of limits) chunk.done ? limit.end() : limit.wait(false)
        return chunk
      } catch (error) {
        cancel(error).catch(() => {})
        throw signal.aborted ? signal.reason : error
      }
    },
  }
}

/** Turns a reader into a stream, which reads a chunk when its consumer requests one. @param toError converts an error of the body */
export function toStream(reader: BodyReader, toError = (error: unknown): unknown => error): ReadableStream<Bytes> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error) => {
          throw toError(error)
        })
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Returns a response with another body.
 *
 * @param change makes the new body; it is not called if the response has none
 */
export function withBody(response: Response, change: (body: ReadableStream<Bytes>) => BodyInit): Response {
  const { status, statusText, headers, url, body } = response
  // Chromium gives responses with these statuses a body, but `new Response` refuses one.
  const isEmpty = !body || [204, 205, 304].includes(status)
  // A status line may have characters that `Response` refuses.
  const text = /^[\t\x20-\x7e]*$/.test(statusText) ? statusText : ''
  const copy = new Response(isEmpty ? null : change(body), { status, statusText: text, headers })
  return Object.defineProperty(copy, 'url', { value: url }) // a new Response has no URL
}

/** Extends the limits of a call to the body of its response. Without a body, the limits end. */
export function limitResponse(response: Response, call: Call): Response {
  const { limits } = call
  if (limits.length > 0 && response.body) {
    const ofBody = limits.splice(0)
    return withBody(response, (body) => toStream(limitedReader(body, ofBody)))
  }
  endLimits(call)
  return response
}
