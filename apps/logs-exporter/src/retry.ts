/** Consecutive failures after which a command that ends gives up. `run` never does. */
export const maxFailures = 3

/**
 * Pause before a repetition, in ms. It doubles with each consecutive failure. Half of it is random, so that several exporters do not
 * return together.
 *
 * @param failures consecutive failures, at least 1
 * @param requestedMs the pause that the other side requests, such as `Retry-After`; it counts up to `maxMs`
 */
export function pauseAfter(
  failures: number,
  {
    firstMs,
    maxMs,
    requestedMs = 0,
  }: { readonly firstMs: number; readonly maxMs: number; readonly requestedMs?: number },
): number {
  const pause = Math.min(firstMs * 2 ** (failures - 1), maxMs) * (0.5 + Math.random() / 2)
  return Math.max(pause, Math.min(requestedMs, maxMs))
}
