import { createMetrics } from '../../src/health/metrics.ts'

/** The metrics of an exporter without zones. Shard 1 of 4. */
export function idleMetrics() {
  return createMetrics({
    now: () => 0,
    positions: async () => [],
    stdoutLag: async () => ({ segments: 0, oldest: undefined }),
    paused: () => 0,
    isHealthy: async () => true,
    clockOffset: () => 0,
    shard: { index: 1, of: 4 },
  })
}
