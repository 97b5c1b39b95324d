export type Bytes = Uint8Array<ArrayBuffer>
/** The type of a request body. The library `dom` names it BodyInit, but not every program uses that library. */
export type FetchBody = NonNullable<RequestInit['body']>
export type BodyReader = Pick<ReadableStreamDefaultReader<Bytes>, 'read' | 'cancel'>

/** Cancels an unread body to free its connection. Does not wait, because a cancellation lasts until every clone is read, too. */
export function discard(response: Response | undefined): void {
  const body = response?.body
  if (body && !body.locked) body.cancel().catch(() => {})
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

/** Returns a response with another body. */
export function withBody({ status, statusText, headers, url }: Response, body: FetchBody | null): Response {
  // A status line may have characters that `Response` refuses. Chromium gives a body even to a 204, 205 or 304.
  const text = /^[\t\x20-\x7e]*$/.test(statusText) ? statusText : ''
  const hasNone = [204, 205, 304].includes(status)
  const copy = new Response(hasNone ? null : body, { status, statusText: text, headers: new Headers(headers) })
  return Object.defineProperty(copy, 'url', { value: url }) // a new Response has no URL
}

/**
 * Whether the body of a response is a web stream or null. React Native has responses without `body`, and node-fetch has streams of
 * Node; such a body can only be read as a whole. Also true for a status that a new Response refuses.
 */
export function hasWebStream({ body, status }: Response): boolean {
  return body === null || (body && 'getReader' in body) || status < 200 || status > 599
}
