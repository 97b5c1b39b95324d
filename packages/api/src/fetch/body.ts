/** Reads bodies: in chunks or as a whole, with the time limits (watches) that began earlier in the call. */
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

/**
 * Reads a whole body. Joins chunks as they arrive, because joining them at the end would take twice the memory.
 *
 * @param buffer is used if the body fits
 */
export async function readBytes(
  body: Body | null,
  reading: Reading = {},
  buffer: Bytes = new Uint8Array(1024),
): Promise<Bytes> {
  const chunks = body && openBody(body, reading)
  let bytes = buffer
  let length = 0
  for (;;) {
    const chunk = await chunks?.next()
    if (!chunk) return bytes.subarray(0, length)
    const start = length
    length += chunk.length
    if (length > bytes.length) {
      const shorter = bytes
      bytes = new Uint8Array(length * 2)
      bytes.set(shorter)
    }
    bytes.set(chunk, start)
  }
}

const watchesKey = Symbol('watches')
const bodyKey = Symbol('body')
type Watchable = Response & { [watchesKey]?: Watch[]; [bodyKey]?: Body }
type Watched = Required<Watchable>

/**
 * Makes a watch also limit the reading of a response's body. The response stays the same object with the same URL, but its body
 * methods change.
 *
 * @returns the same response
 */
export function watchBody(response: Watchable, watch: Watch): Response {
  const { body } = response
  if (!body || response.headers.get('Content-Length') === '0') {
    watch.end()
    return response
  }
  const watches = response[watchesKey]
  if (watches) watches.push(watch)
  else {
    response[watchesKey] = [watch]
    response[bodyKey] = body
    Object.setPrototypeOf(response, watchedPrototype(Object.getPrototypeOf(response)))
  }
  return response
}

/** Body methods, applied to the bytes of a watched body. `new Response(stream)` would cost more than all wrappers together. */
const methods: Record<string, (bytes: Bytes, response: Response) => unknown> = {
  text: decode,
  json: (bytes) => JSON.parse(decode(bytes)),
  bytes: (bytes) => bytes,
  arrayBuffer: (bytes) => bytes.slice().buffer,
  blob: (bytes, { headers }) => new Response(bytes, { headers }).blob(),
  formData: (bytes, { headers }) => new Response(bytes, { headers }).formData(),
}
/** Prototypes of watched responses, one per class of responses. */
const prototypes = new WeakMap<object, object>()

function watchedPrototype(native: object): object {
  const known = prototypes.get(native)
  if (known) return known
  const watched = Object.create(native, { body: { get: watchedBody } })
  for (const [name, convert] of Object.entries(methods)) {
    const value = async function (this: Watched) {
      const isOpen = Object.hasOwn(this, 'body')
      return convert(
        await (isOpen ? readBytes(this.body) : readBytes(this[bodyKey], { watches: this[watchesKey] })),
        this,
      )
    }
    Object.defineProperty(watched, name, { value, writable: true })
  }
  prototypes.set(native, watched)
  return watched
}

/** Returns the body of a watched response. Reading starts at the first read, because watches may be added until then. */
function watchedBody(this: Watched): Body {
  let chunks: Chunks | undefined
  const open = () => {
    chunks ??= openBody(this[bodyKey], { watches: this[watchesKey] })
    return chunks
  }
  const stream = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const chunk = await open().next()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: () => open().cancel(),
    },
    { highWaterMark: 0 },
  )
  Object.defineProperty(this, 'body', { value: stream })
  return stream
}
