import type { Lease } from '../fleet/coordinator.ts'
import { isFenced, isV2Failure, pauseAfter, toError } from './failure.ts'
import { createZoneMemory, type EngineOptions, type ZoneContext, type ZoneMemory } from './options.ts'
import { deadlineOf } from './plan.ts'
import { type Turn, takeTurn } from './turn.ts'

const defaultParallel = 64

/**
 * Exports all zones that the coordinator gives, until the signal fires. A zone that fails is tried again later, for as long as
 * it takes; what went wrong is told by events.
 *
 * @throws what the coordinator throws
 */
export function runEngine(options: EngineOptions): Promise<void> {
  return work(options, takeTurn)
}

/**
 * Gives zones their turns, several at a time.
 *
 * @param turn works on one zone; what it throws counts as a failure of the zone
 */
export async function work(options: EngineOptions, turn: (context: ZoneContext) => Promise<Turn>): Promise<void> {
  const { coordinator, parallel = defaultParallel } = options
  const memories = new Map<string, ZoneMemory>()
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])

  async function serve(): Promise<void> {
    for (;;) {
      const lease = await coordinator.claim(signal)
      if (!lease) return
      const memory = memories.get(lease.zone) ?? createZoneMemory()
      memories.set(lease.zone, memory)
      const { nextDue, deadline } = await serveZone({ ...options, signal }, lease, memory, turn)
      options.observe({ type: 'turn', zone: lease.zone, nextDue })
      await coordinator.release(lease, nextDue, deadline)
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, serve))
  } finally {
    stop.abort()
  }
}

async function serveZone(
  options: EngineOptions,
  lease: Lease,
  memory: ZoneMemory,
  turn: (context: ZoneContext) => Promise<Turn>,
): Promise<Turn> {
  const { reader, ledger, observe } = options
  const { zone, epoch } = lease
  const signal = AbortSignal.any([options.signal, lease.signal])
  const context: ZoneContext = { ...options, zone, epoch, signal, memory }
  try {
    if (memory.epoch !== epoch && memory.epoch !== epoch - 1) {
      reader.takeOver(zone, await ledger.busyUntil(zone))
      memory.isReconciled = false
    }
    memory.epoch = epoch
    await ledger.recordBusyUntil(zone, Number.POSITIVE_INFINITY, epoch)
    const taken = await turn(context)
    memory.failures = 0
    return taken
  } catch (cause) {
    if (lease.signal.aborted || isFenced(cause)) {
      memory.epoch = undefined
      observe({ type: 'fenced', zone })
    } else if (!options.signal.aborted) {
      memory.failures++
      const deadline = await deadlineIn(context)
      if (isV2Failure(cause, deadline < reader.now())) memory.readFailures++
      const retryAt = reader.now() + pauseAfter(memory.failures, cause)
      observe({ type: 'failed', zone, error: toError(cause), failures: memory.failures, retryAt })
      return { nextDue: retryAt, deadline }
    }
    return { nextDue: reader.now(), deadline: await deadlineIn(context) }
  } finally {
    await ledger.recordBusyUntil(zone, reader.busyUntil(zone), epoch).catch(() => {}) // the successor then waits longer
  }
}

async function deadlineIn({ zone, ledger, reader, plan }: ZoneContext): Promise<number> {
  const position = await ledger.position(zone).catch(() => undefined)
  return deadlineOf(position ?? reader.now(), plan)
}
