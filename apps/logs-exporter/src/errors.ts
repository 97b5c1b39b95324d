import { messageOf } from '@cdn/kit/error-message'
import { codeOf } from '@cdn/kit/system-error'
import { causeOf } from './store-causes.ts'

/** Wraps a thrown value that is not an error. */
export function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** Means an invalid configuration (exit code 2). The message is one sentence: what is wrong, where, and what would be right. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Means that the ledger cannot be opened, read or written. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
}

/** Means that another exporter works with the ledger. */
export class LedgerInUseError extends LedgerError {}

/** Means that no sink can hold the row. The message gives the reason without any content of the row. */
export class RejectedRow extends Error {
  override readonly name = 'RejectedRow'
}

/**
 * What the caller must do after a failure of a sink:
 * - `transient`: the failure may pass by itself. Wait and retry, without a limit.
 * - `permanent`: waiting cannot help (a final cause of `store-causes.ts`). At the start, end with exit code 2.
 * - `overlap`: another exporter uses windows of another length. Compare with the sink, and retry.
 * - `damaged`: the content of a segment differs from what was written. Continue with the other windows.
 */
export type SinkErrorKind = 'transient' | 'permanent' | 'overlap' | 'damaged'

/**
 * The error of sinks. Apart from it, sinks throw only the reason of a signal, or a ConfigurationError if a secret cannot be read. The
 * message and the cause of a SinkError hold no secret.
 */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  readonly kind: SinkErrorKind

  /** @param message one sentence: what is wrong, where, and what would be right */
  constructor(kind: SinkErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** Means that bytes are truncated or changed, or that this format did not write them. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError'
}

/**
 * Runs an operation of the file system.
 *
 * @param describe creates the sentence from the reason, which ends with the code, such as ENOSPC
 * @throws SinkError; errors without a code unchanged
 */
export async function withSystemFailures<T>(describe: (why: string) => string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    const { why = messageOf(error), isFinal = false } = causeOf('files', code) ?? {}
    throw new SinkError(isFinal ? 'permanent' : 'transient', describe(`${why} (${code})`), { cause: error })
  }
}

/** Whether an error only says that the signal fired. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (error === signal.reason) return true
  return error instanceof Error && (error.name === 'AbortError' || isAbort(error.cause, signal))
}

/** Describes an error in fields that are safe to log. Omits the stack and the cause, because they may hold unredacted text. */
export function describeError(error: unknown): { name: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  // Node throws an AggregateError if all addresses of a host refuse the connection.
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0])
  const code = codeOf(error)
  return { name: error.name, message: error.message || error.name, ...(code !== undefined && { code }) }
}

/** Structured log: fields first, then the message. */
export interface Log {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}
