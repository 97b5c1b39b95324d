/** Wraps a thrown value that is not an error. */
export function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** The message of a thrown value. */
export function messageOf(cause: unknown): string {
  return toError(cause).message
}

/** The code of an error of Node or the operating system, for example `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Means an invalid configuration (exit code 2). The message is one sentence: what is wrong, where, and what would be right. */
export class ExporterConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Means that the ledger cannot be used. The message is one sentence. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
}

/**
 * What the caller must do after a failure of a sink:
 * - `transient`: the sink is down, full, slow or busy. Wait and retry, without a limit.
 * - `permanent`: the sink refuses the configuration until an operator changes something. Report it. Waiting loses no data.
 * - `overlap`: another exporter uses windows of another length. Compare with the sink, and retry.
 * - `damaged`: the content of a segment differs from what was written. Continue with the other windows.
 * - `closed`: standard output takes no more bytes, and never will again. End.
 */
export type SinkErrorKind = 'transient' | 'permanent' | 'overlap' | 'damaged' | 'closed'

/** The only error of sinks, apart from an AbortError after a signal fires. Its message and its cause hold no secret. */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  readonly kind: SinkErrorKind

  /** @param message one sentence: what is wrong, where, and what would be right */
  constructor(kind: SinkErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
