/** Consecutive failures after which a command that ends gives up. `run` never does. */
export const maxFailures = 3

/** How long to wait between repetitions, in ms. */
export interface Pauses {
  readonly firstMs: number
  readonly maxMs: number
  /** Share of a pause that is random, from 0 to 1, so that several exporters do not return together. */
  readonly randomShare?: number
}

/**
 * Pause before a repetition, in ms. It doubles with each consecutive failure, up to `maxMs`, minus the random share.
 *
 * @param failures consecutive failures, at least 1
 * @param requestedMs the pause that the other side requests, such as `Retry-After`; it counts up to `maxMs`
 */
export function pauseAfter(
  failures: number,
  { firstMs, maxMs, randomShare = 0 }: Pauses,
  requestedMs: number = 0,
): number {
  const pause = Math.min(firstMs * 2 ** (failures - 1), maxMs) * (1 - randomShare * Math.random())
  return Math.max(pause, Math.min(requestedMs, maxMs))
}
