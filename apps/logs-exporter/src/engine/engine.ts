import { SinkError, toError } from '../errors.ts'
import { type Cycle, runCycle } from './cycle.ts'
import { isV2Failure, pauseAfter } from './failure.ts'
import { createZoneMemory, type EngineOptions, type ZoneContext, type ZoneMemory } from './options.ts'
import { deadlineOf } from './plan.ts'

const defaultParallel = 64

/**
 * Exports all zones of the schedule until the signal fires. Failed zones are retried without a limit. Events report the failures.
 */
export function runEngine(options: EngineOptions): Promise<void> {
  return work(options, runCycle)
}

/**
 * Runs the cycles of several zones concurrently. No cycle begins before the platform's time is known.
 *
 * @param cycle works on one zone; an exception counts as a failure of the zone
 */
export async function work(options: EngineOptions, cycle: (context: ZoneContext) => Promise<Cycle>): Promise<void> {
  const { schedule, reader, parallel = defaultParallel } = options
  const memories = new Map<string, ZoneMemory>()
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])

  async function serve(): Promise<void> {
    for (;;) {
      const zone = await schedule.claim(signal)
      if (zone === undefined) return
      const memory = memories.get(zone) ?? createZoneMemory()
      memories.set(zone, memory)
      const { waitMs, deadline } = await serveZone({ ...options, signal, zone, memory }, cycle)
      options.observe({ type: 'cycle', zone, nextDue: reader.now() + waitMs })
      schedule.release(zone, waitMs, deadline)
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, serve))
  } finally {
    stop.abort()
  }
}

/** @returns a duration instead of a time, because another zone may correct the clock while this zone waits */
async function serveZone(
  context: ZoneContext,
  cycle: (context: ZoneContext) => Promise<Cycle>,
): Promise<{ readonly waitMs: number; readonly deadline: number }> {
  const { zone, memory, reader, observe, signal } = context
  try {
    await reader.synchronize(zone, signal)
    const { nextDue, deadline } = await cycle(context)
    memory.failures = 0
    return { waitMs: nextDue - reader.now(), deadline }
  } catch (cause) {
    const deadline = await deadlineIn(context)
    if (signal.aborted) return { waitMs: 0, deadline }
    memory.failures++
    // The next cycle adopts the segment of the other exporter, which resolves the overlap.
    if (cause instanceof SinkError && cause.kind === 'overlap') memory.isReconciled = false
    if (isV2Failure(cause, deadline < reader.now())) memory.readFailures++
    const waitMs = pauseAfter(memory.failures, cause)
    const retryAt = reader.now() + waitMs
    observe({ type: 'failed', zone, error: toError(cause), failures: memory.failures, retryAt })
    return { waitMs, deadline }
  }
}

async function deadlineIn({ zone, ledger, reader, plan }: ZoneContext): Promise<number> {
  const position = await ledger.position(zone).catch(() => undefined)
  return deadlineOf(position ?? reader.now(), plan)
}
