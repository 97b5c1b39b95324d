import { messageOf } from '@cdn/kit/error-message'
import { toleranceMs } from '@cdn/kit/server-clock'
import { dayMs } from '@cdn/kit/time'
import { LedgerError, SinkError, toError } from '../errors.ts'
import { exportOpen } from './export-open.ts'
import { isGivenUp, zonePause } from './failure.ts'
import { type EngineOptions, type ZoneContext, ZoneMemory } from './options.ts'
import { closedUntil, closesAt, deadlineOf, firstPosition } from './plan.ts'
import { recheckWindows } from './recheck.ts'
import { recoverZone } from './recover.ts'

/** Maximum number of concurrent cycles. Each of them may have an unfinished segment in memory. */
const parallel = 64

/**
 * Exports all zones of the schedule until the signal fires. Failed zones are retried without a limit. Events report the failures.
 *
 * @param zones if given, exports only the windows that are closed by now, and returns like `runCycles`
 */
export function runEngine(options: EngineOptions, zones?: readonly string[]): Promise<ReadonlyMap<string, Error>> {
  return runCycles(options, runCycle, zones)
}

/**
 * Runs the cycles of several zones concurrently. No cycle begins before the platform's time is known.
 *
 * @param cycle works on one zone; an exception counts as a failure of the zone
 * @param zones the zones of the schedule: if given, the work ends when each zone has no work that is due, or is given up. By default,
 *   it ends when the signal fires
 * @returns the zones that were given up, with their last errors
 */
export async function runCycles(
  options: EngineOptions,
  cycle: (context: ZoneContext) => Promise<Cycle>,
  zones?: readonly string[],
): Promise<ReadonlyMap<string, Error>> {
  const { schedule } = options
  const memories = new Map<string, ZoneMemory>()
  const left = new Set(zones)
  const failed = new Map<string, Error>()
  if (zones?.length === 0) return failed
  const stop = new AbortController()
  const done = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal, done.signal])

  const running = new Set<Promise<void>>()
  const claim = () => schedule.claim(signal, parallel)

  async function serve(zone: string): Promise<void> {
    const memory = memories.get(zone) ?? new ZoneMemory()
    memories.set(zone, memory)
    options.observe({ type: 'begun', zone })
    // Each request leaves a listener on its signal until garbage collection, and many listeners slow down the next request. So each
    // cycle has its own signal.
    const own = AbortSignal.any([signal])
    const { waitMs, deadline, isDone, failure } = await serveZone({ ...options, signal: own, zone, memory }, cycle)
    options.observe({ type: 'cycle', zone, waitMs })
    const isOver = zones && isDone
    if (isOver && failure) failed.set(zone, failure)
    if (isOver && left.delete(zone) && left.size === 0) done.abort()
    schedule.release(zone, isOver ? Number.POSITIVE_INFINITY : waitMs, deadline)
  }
  for (let zone = await claim(); zone !== undefined; zone = await claim()) {
    const task: Promise<void> = serve(zone)
      .catch((error) => stop.abort(error))
      .finally(() => running.delete(task))
    running.add(task)
  }
  await Promise.all(running)
  stop.signal.throwIfAborted()
  return failed
}

/**
 * Runs one cycle of a zone.
 *
 * @returns `waitMs`: the wait for the next cycle, not its time, because another zone may correct the clock meanwhile. `isDone`: whether
 *   the zone has no work that is due, or a command that ends gives the zone up
 */
async function serveZone(
  context: ZoneContext,
  cycle: (context: ZoneContext) => Promise<Cycle>,
): Promise<{ readonly waitMs: number; readonly deadline: number; readonly isDone: boolean; readonly failure?: Error }> {
  const { zone, memory, reader, ledger, observe, signal } = context
  try {
    await reader.synchronize(zone, signal)
    const { nextDue, deadline } = await cycle(context)
    memory.failures = 0
    if (memory.failingSince !== undefined) await ledger.setFailure(zone, undefined)
    memory.failingSince = undefined
    const waitMs = nextDue - reader.now()
    return { waitMs, deadline, isDone: waitMs > 0 }
  } catch (cause) {
    const deadline = await deadlineIn(context)
    if (signal.aborted) return { waitMs: 0, deadline, isDone: false }
    memory.failures++
    memory.failingSince ??= reader.now()
    // If the ledger itself fails, the event says so.
    await ledger.setFailure(zone, { reason: messageOf(cause), since: memory.failingSince }).catch(() => {})
    // The next cycle records the segment of the other exporter, which resolves the overlap, or a segment that the ledger could not record.
    const isOverlap = cause instanceof SinkError && cause.kind === 'overlap'
    if (isOverlap || cause instanceof LedgerError) memory.isRecovered = false
    const failure = toError(cause)
    const waitMs = zonePause(memory.failures, failure)
    observe({ type: 'failed', zone, error: failure, failures: memory.failures, retryAt: reader.now() + waitMs })
    return { waitMs, deadline, isDone: isGivenUp(memory.failures, failure), failure }
  }
}

async function deadlineIn({ zone, ledger, reader, plan }: ZoneContext): Promise<number> {
  const position = await ledger.position(zone).catch(() => undefined)
  return deadlineOf(position ?? reader.now(), plan)
}

/** How long the ledger keeps windows that have left the retention, in ms. */
const keptAfter = dayMs

interface Cycle {
  readonly nextDue: number
  readonly deadline: number
}

/**
 * Runs the cycle of a zone: first the due rechecks, since they concern the oldest windows, then the open windows. If the deadline
 * has passed, rechecks wait.
 */
async function runCycle(context: ZoneContext): Promise<Cycle> {
  const { zone, ledger, reader, plan, memory, signal } = context
  const known = await ledger.position(zone)
  if (!memory.isRecovered || (known ?? 0) > reader.now() + toleranceMs) await recoverZone(context)
  memory.isRecovered = true
  await reader.requireAccess(zone, signal)
  const start = (await ledger.position(zone)) ?? firstPosition(reader.now(), plan)
  await recheckWindows(context, deadlineOf(start, plan) < reader.now())
  const isDone = await exportOpen(context, start, closedUntil(reader.now(), plan))
  // A window that still waits for its recheck may have an open gap, which only the recheck reports as lost.
  const [waiting] = await ledger.due(zone, reader.now(), 1)
  const before = reader.now() - plan.retention - keptAfter
  await ledger.forget(zone, Math.min(before, waiting?.from ?? before))
  const position = (await ledger.position(zone)) ?? start
  const nextRecheck = (await ledger.nextRecheck(zone)) ?? Number.POSITIVE_INFINITY
  return {
    nextDue: isDone ? Math.min(closesAt(position, plan), nextRecheck) : reader.now(),
    deadline: deadlineOf(position, plan),
  }
}
