import type { Call, Outcome } from '../middleware.ts'
import { type Redact, redactCause } from '../redact.ts'
import { CallError, type Failure } from './call-error.ts'

/**
 * What went wrong: `network` no answer came; `timeout` a time-out ended it; `aborted` the caller's signal fired;
 * `redirect` the platform sent us elsewhere, which is never followed; `body` a success whose body is cut short or not what
 * was asked for; `credential` the function that gives the credential failed.
 */
export type TransportKind = 'network' | 'timeout' | 'aborted' | 'redirect' | 'body' | 'credential'

/** An answer that is of no use is a success or a redirect; any other is an error of the interface. */
type UselessStatus =
  | 0
  | 200
  | 201
  | 202
  | 203
  | 204
  | 205
  | 206
  | 207
  | 208
  | 226
  | 300
  | 301
  | 302
  | 303
  | 304
  | 307
  | 308

/** There is no usable answer. Carries no credential, in its cause neither. */
export class TransportError extends CallError {
  override readonly name = 'TransportError'
  declare readonly status: UselessStatus | undefined
  readonly kind: TransportKind
  /** The runtime proves that nothing of the request reached the platform. */
  readonly isUnsent: boolean

  /** @param what what happened, to follow the operation in a sentence */
  constructor(failure: Failure, kind: TransportKind, what: string, cause?: unknown) {
    super(failure, what, cause === undefined ? undefined : { cause: redactCause(cause, failure.redact) })
    this.kind = kind
    this.isUnsent = kind === 'credential' || (kind === 'network' && isConnectFailure(cause))
  }
}

/**
 * Whether a failed `fetch` says that no connection came about. Node names it in the cause, Bun in the error itself, Deno in
 * a text; browsers and workerd never tell. A connection that broke later (ECONNRESET) may have carried the request.
 */
function isConnectFailure(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const { code, syscall } = cause as { code?: unknown; syscall?: unknown }
  return (
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    syscall === 'connect' ||
    cause.message.includes('client error (Connect)') ||
    isConnectFailure(cause.cause)
  )
}

/**
 * The outcome of a call that was ended on this side.
 *
 * @param cause the reason of its signal
 */
export function interrupted(call: Call, cause: unknown, redact: Redact = String, response?: Response): Outcome {
  const isTimeout = call.signal?.reason?.name === 'TimeoutError'
  const [kind, what] = isTimeout ? (['timeout', 'took too long'] as const) : (['aborted', 'was aborted'] as const)
  return { data: undefined, error: new TransportError({ ...call, redact, response }, kind, what, cause), response }
}
