import { type BodyReader, type Bytes, toStream, withBody } from './body.ts'
import type { Clock } from './clock.ts'

interface TimeLimitOptions {
  /** Time until the signal fires, in milliseconds; by default, the signal fires only with the outer signal. */
  readonly ms?: number
  /** Whether the limit applies to each wait for data, instead of to the whole call. */
  readonly isIdle?: boolean
  /** A signal that also ends the call. */
  readonly outer: AbortSignal | null | undefined
  readonly clock: Clock
  /** Creates the reason of the signal when the time has passed. @param what clause that follows the operation in a message */
  readonly toError?: (what: string) => Error
}

/** A limit on the time of a call, including the body of its response. */
export class TimeLimit {
  readonly #controller = new AbortController()
  /** Fires when the time has passed, and with the outer signal. */
  readonly signal = this.#controller.signal
  readonly #options: TimeLimitOptions
  /** When the wait for data began; infinite while the caller does not wait. */
  #since: number
  #isRunning = false
  #stopTimer: (() => void) | undefined
  /** The time that had passed when `hold` stopped the timer. */
  #passedMs = 0
  #whenAborted: ((reason: unknown) => void) | undefined

  constructor(options: TimeLimitOptions) {
    const { ms = Number.POSITIVE_INFINITY, outer, clock } = options
    this.#options = options
    this.#since = clock.now()
    if (ms !== Number.POSITIVE_INFINITY) this.#start(ms)
    outer?.addEventListener('abort', this.#follow)
    if (outer?.aborted) this.#follow()
  }

  readonly #follow = () => this.#abort(this.#options.outer?.reason)

  #start(ms: number): void {
    this.#isRunning = true
    this.#stopTimer = this.#options.clock.timer(this.#expire, ms)
  }

  // Starting a timer for each chunk would cost more. When this timer fires, it checks when the wait for data began. The error is
  // created only here, because it must hide credentials, which inner wrappers add after this limit starts.
  readonly #expire = () => {
    const { ms = 0, isIdle, clock, toError = Error } = this.#options
    this.#isRunning = false
    if (this.#since === Number.POSITIVE_INFINITY) return // the next wait starts it again
    const passed = Math.max(clock.now() - this.#since, 0)
    if (isIdle && passed < ms) return this.#start(ms - passed)
    this.#abort(toError(isIdle ? `got nothing for ${ms} ms` : `took longer than ${ms} ms`))
  }

  #abort(reason: unknown): void {
    this.end()
    this.#controller.abort(reason)
    this.#whenAborted?.(reason)
  }

  /** Sets the function to call when the signal fires; replaces the previous one. A listener of the signal would cost more. */
  whenAborted(stop: (reason: unknown) => void): void {
    this.#whenAborted = stop
    if (this.signal.aborted) stop(this.signal.reason)
  }

  /** Starts or stops the time of an idle limit. */
  wait(isWaiting: boolean): void {
    const { isIdle, ms, clock } = this.#options
    if (!isIdle || ms === undefined) return
    this.#since = isWaiting ? clock.now() : Number.POSITIVE_INFINITY
    if (isWaiting && !this.#isRunning) this.#start(ms)
  }

  /** Stops the time, or lets it continue. */
  hold(isHeld: boolean): void {
    const { ms, clock } = this.#options
    if (ms === undefined || this.signal.aborted) return
    if (isHeld) {
      this.stop()
      this.#passedMs = clock.now() - this.#since
    } else {
      this.#since = clock.now() - this.#passedMs
      this.#start(ms - this.#passedMs)
    }
  }

  /** Stops the time. The signal still fires with the outer signal. */
  stop(): void {
    this.#stopTimer?.()
  }

  /** Ends the limit: it no longer fires. */
  end(): void {
    this.stop()
    this.#options.outer?.removeEventListener('abort', this.#follow)
  }
}

/**
 * Owns the time limits of a call that last until the body of the response has been read, the innermost first. A wrapper that repeats
 * the request ends them, and so does the end of the call, unless the call hands out a body.
 */
export class TimeLimits {
  #limits: TimeLimit[] = []

  add(limit: TimeLimit): void {
    this.#limits.push(limit)
  }

  end(): void {
    for (const limit of this.#limits) limit.end()
    this.#limits = []
  }

  /** Returns a response whose body is within the limits. */
  extendTo(response: Response): Response {
    const { body } = response
    if (body && this.#limits.length > 0) return withBody(response, toStream(this.reader(body)))
    this.end()
    return response
  }

  /** Returns a reader of a body within the limits, which end with the body. `end` no longer ends them. */
  reader(body: ReadableStream<Bytes>): BodyReader {
    const reader = body.getReader()
    const limits = this.#limits
    const [innermost] = limits
    if (!innermost) return reader
    this.#limits = []
    // The innermost signal also fires with the outer limits.
    const { signal } = innermost
    const cancel = (reason?: unknown) => {
      for (const limit of limits) limit.end()
      return reader.cancel(reason)
    }
    // After an abort, a pending read resolves as if the body had ended.
    innermost.whenAborted((reason) => void cancel(reason).catch(() => {}))
    const take = (chunk: Awaited<ReturnType<typeof reader.read>>) => {
      signal.throwIfAborted()
      for (const limit of limits) chunk.done ? limit.end() : limit.wait(false)
      return chunk
    }
    const fail = (error: unknown): never => {
      cancel(error).catch(() => {})
      throw signal.aborted ? signal.reason : error
    }
    return {
      cancel,
      read() {
        for (const limit of limits) limit.wait(true)
        return reader.read().then(take, fail)
      },
    }
  }
}
