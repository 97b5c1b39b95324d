/**
 * What a failure of a sink calls for:
 * - `transient`: the sink is down, full, slow or busy. Wait and try again, for as long as it takes.
 * - `permanent`: it refuses what is configured, and will until somebody changes something. Say so; nothing is lost by waiting.
 * - `fenced`: another worker owns the zone by now. Leave it alone.
 * - `damaged`: what was read is not what was written.
 * - `closed`: its reader is gone and nobody will ever take more. End.
 */
export type SinkErrorKind = 'transient' | 'permanent' | 'fenced' | 'damaged' | 'closed'

/** The one error that sinks throw, apart from an AbortError when their signal fired. Neither message nor cause holds a secret. */
export class SinkError extends Error {
  override readonly name = 'SinkError'
  readonly kind: SinkErrorKind

  /** @param message one sentence: what, where, what would be right */
  constructor(kind: SinkErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
