/**
 * The required reaction to a failure of a sink:
 * - `transient`: the sink is down, full, slow or busy. Wait and retry, without a limit.
 * - `permanent`: the sink refuses the configuration until an operator changes something. Report it; waiting loses no data.
 * - `overlap`: another exporter uses windows of another length. Compare with the sink, and retry.
 * - `damaged`: the content differs from what was written.
 * - `closed`: the reader of the output is gone and does not return. End.
 */
export type SinkErrorKind = 'transient' | 'permanent' | 'overlap' | 'damaged' | 'closed'

/** The only error of sinks, apart from an AbortError after their signal fires. Neither message nor cause holds a secret. */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  readonly kind: SinkErrorKind

  /** @param message one sentence: what, where, what would be right */
  constructor(kind: SinkErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
