import { innermostCause } from '@cdn/kit/error-message'
import { networkReason } from '@cdn/kit/network-reason'
import type { CallDescription } from '../fetch/call.ts'
import { redactAndCut, redactCause, type SystemError } from '../redact.ts'
import { CallError } from './call-error.ts'

/**
 * Kind of failure. `network`: no response arrived, or its status is not from 200 to 599. `timeout`: a time-out ended the call.
 * `redirect`: the platform answered with a redirect, and redirects are never followed. `body`: the body of a success was truncated,
 * invalid or too long. `credential`: the function that returns the credential failed, or returned an invalid one.
 */
export type TransportKind = 'network' | 'timeout' | 'redirect' | 'body' | 'credential'

/** The call got no usable response. */
export class TransportError extends CallError {
  override readonly name = 'TransportError'
  readonly kind: TransportKind
  /** The status of the response; undefined if none arrived, and for a time-out. */
  readonly status: number | undefined
  /** The start of the response body, redacted, up to 2048 characters; empty if the body was not read to its end. */
  readonly text: string
  /** Whether it is certain that no part of the request reached the platform: the runtime proves it, or there was no credential to send. */
  readonly isUnsent: boolean

  /** @param what clause that follows the operation in the message, such as `got no response` */
  constructor(call: CallDescription, kind: TransportKind, what: string, cause?: unknown) {
    const code = networkReason(cause) ?? innermost(cause)
    const { redact = String, response, text = '' } = call
    const options = cause === undefined ? undefined : { cause: redactCause(cause, redact) }
    super(call, `${what}${code ? ` (${code})` : ''}`, options)
    this.kind = kind
    this.status = response?.status
    this.text = redactAndCut(text, redact)
    this.isUnsent = kind === 'credential' || (kind === 'network' && isUnsent(cause))
  }
}

/** The body of a success is longer than its limit, so a repetition cannot help. */
export class BodyLimitError extends TransportError {
  constructor(call: CallDescription, maxBytes: number) {
    super(call, 'body', `has a body that is longer than the limit of ${maxBytes} bytes`)
  }
}

/** The message of the innermost cause, such as `bad port`; undefined if the runtime gives no cause. */
function innermost(error: unknown): string | undefined {
  const cause = innermostCause(error)
  return cause instanceof Error && cause !== error ? cause.message.slice(0, 100) : undefined
}

/**
 * Creates the error of a response body that cannot be used.
 *
 * @param what clause that follows "a body that" in the message, such as `is not JSON`
 * @param text the body, if it was read
 */
export function bodyError(call: CallDescription, what: string, cause?: unknown, text = ''): TransportError {
  return new TransportError({ ...call, text }, 'body', `has a body that ${what}`, cause)
}

/**
 * Whether the runtime proves that no part of a request was sent, because no connection was established. Node gives the proof in
 * the cause, Bun in the error itself, Deno in a text. Browsers and workerd give none. A connection that broke later (ECONNRESET)
 * may have carried the request.
 *
 * @param error an error of `fetch`, or a TransportError
 */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall, isUnsent: proven }: SystemError & { isUnsent?: unknown } = error
  return (
    proven === true ||
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    syscall === 'connect' ||
    error.message.startsWith('Proxy response (') ||
    error.message.includes('client error (Connect)') ||
    isUnsent(error.cause)
  )
}
