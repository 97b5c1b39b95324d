import { readBytes } from '../bytes.ts'
import { TransportError } from '../errors/transport-error.ts'
import { type BodyLimit, type Call, type CallDescription, markResponse } from './call.ts'
import { maxTimerMs } from './sleep.ts'

interface TimeLimitOptions {
  /** Time until the signal fires, in milliseconds. */
  readonly ms: number
  /** Whether only the time without incoming data counts, instead of the whole time. */
  readonly isIdle: boolean
  /** A second signal that also fires the limit's signal. */
  readonly outer: AbortSignal | null | undefined
  /** Describes the call for the error. Called late, because the error hides credentials that inner wrappers add. */
  readonly describe: () => CallDescription
}

/** A time limit on a call. */
export interface TimeLimit extends BodyLimit {
  /** Fires with a TransportError of kind `timeout` when the time has passed. */
  readonly signal: AbortSignal
  /** Waits for one promise at a time, for as long as the limit permits: not every `fetch` obeys a signal. */
  race<T>(promise: Promise<T>): Promise<T>
  /** The response has arrived. An idle limit then counts only while the caller reads. */
  arrived(): void
  /** Extends the limit to the body of a response. */
  limitBody(response: Response): Response
}

export function startTimeLimit({ ms, isIdle, outer, describe }: TimeLimitOptions): TimeLimit {
  const controller = new AbortController()
  const { signal } = controller
  let reject: (reason: unknown) => void = () => {}
  const abort = (reason: unknown) => {
    controller.abort(reason)
    reject(reason)
  }
  const expire = () =>
    abort(new TransportError(describe(), 'timeout', isIdle ? `got nothing for ${ms} ms` : `took longer than ${ms} ms`))
  const start = () => setTimeout(expire, Math.min(ms, maxTimerMs))
  const follow = () => abort(outer?.reason)
  let timer = start()
  outer?.addEventListener('abort', follow)
  if (outer?.aborted) follow()
  const race = <T>(promise: Promise<T>): Promise<T> =>
    new Promise((resolve, stop) => {
      reject = stop
      promise.then(resolve, stop)
      if (signal.aborted) stop(signal.reason)
    })
  const pause = () => clearTimeout(timer)
  const limit: TimeLimit = {
    isIdle,
    signal,
    race,
    arrived: () => isIdle && pause(),
    read(next) {
      if (!isIdle) return race(next())
      timer = start()
      return race(next()).finally(pause)
    },
    limitBody(response) {
      limit.arrived()
      if (!response.body) limit.end()
      return withBody(response, (body) => toStream(limitedReader(body, [limit])))
    },
    end() {
      pause()
      outer?.removeEventListener('abort', follow)
    },
  }
  return limit
}

type Bytes = Uint8Array<ArrayBuffer>
export type BodyReader = Pick<ReadableStreamDefaultReader<Bytes>, 'read' | 'cancel'>

/** Reads a body within its limits, which end with the body. */
export function limitedReader(body: ReadableStream<Bytes>, limits: readonly BodyLimit[]): BodyReader {
  const reader = body.getReader()
  const end = () => {
    for (const limit of limits) limit.end()
  }
  const read = limits.reduce<BodyReader['read']>(
    (next, limit) => () => limit.read(next),
    () => reader.read(),
  )
  const cancel = (reason?: unknown) => {
    end()
    return reader.cancel(reason)
  }
  return {
    cancel,
    async read() {
      try {
        const chunk = await read()
        if (chunk.done) end()
        return chunk
      } catch (error) {
        cancel(error).catch(() => {})
        throw error
      }
    },
  }
}

/** Reads a whole body within its limits. @throws RangeError if it is longer than `maxBytes` bytes */
export async function readLimited(
  body: ReadableStream<Bytes> | null | undefined,
  limits: readonly BodyLimit[],
  maxBytes: number,
) {
  const idle = limits.filter(({ isIdle }) => isIdle)
  const reader = body && idle.length > 0 ? limitedReader(body, idle) : body?.getReader()
  let read = () => readBytes(reader, maxBytes)
  for (const limit of limits) {
    const next = read
    if (!limit.isIdle) read = () => limit.read(next)
  }
  try {
    return await read()
  } catch (error) {
    reader?.cancel(error).catch(() => {})
    throw error
  } finally {
    for (const limit of limits) limit.end()
  }
}

/** Returns a stream of what a reader reads, chunk by chunk. @param toError converts an error of the body */
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
export function withBody(response: Response, change: (body: ReadableStream<Bytes>) => BodyInit, call?: Call): Response {
  const { status, statusText, headers, url, body } = response
  // Chromium gives such a response a body, but a new one may not have any.
  const isEmpty = !body || [204, 205, 304].includes(status)
  // A status line may have characters that `Response` refuses.
  const text = /^[\t\x20-\x7e]*$/.test(statusText) ? statusText : ''
  const copy = new Response(isEmpty ? null : change(body), { status, statusText: text, headers })
  Object.defineProperty(copy, 'url', { value: url }) // a new Response has no URL
  return call ? markResponse(copy, call) : copy
}

/** Extends the limits of a call to the body of its response. */
export function limitResponse(response: Response, { limits }: Call): Response {
  if (limits.length === 0) return response
  const ended = limits.splice(0)
  if (response.body) return withBody(response, (body) => toStream(limitedReader(body, ended)))
  for (const limit of ended) limit.end()
  return response
}
