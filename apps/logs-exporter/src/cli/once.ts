import type { Observe } from '../engine/events.ts'
import { isForbidden, isRefusal } from '../engine/failure.ts'
import { maxFailures } from '../retry.ts'
import { exporterExitCodes } from './context.ts'

/**
 * Watches for the end of `run --once`: every zone has exported what is closed, or was given up.
 *
 * @param zones ids of pull zones
 * @param onDone called when the last zone is done
 */
export function watchZones(zones: readonly string[], onDone: () => void) {
  const left = new Set(zones)
  const failing = new Set<string>()
  const failed = new Map<string, Error>()

  function finish(zone: string): void {
    if (left.delete(zone) && left.size === 0) onDone()
  }
  const observe: Observe = (event) => {
    // A failed recheck does not end its cycle; it is repeated by a later run.
    if (event.type === 'failed' && event.failures > 0) {
      failing.add(event.zone)
      if (event.failures < maxFailures && !isRefusal(event.error)) return
      failed.set(event.zone, event.error)
      finish(event.zone)
    }
    // A zone that has more closed windows continues at once.
    if (event.type === 'cycle' && !failing.delete(event.zone) && event.waitMs > 0) finish(event.zone)
  }
  return {
    observe,
    /** The zones that were given up, with their last errors. */
    failed: failed as ReadonlyMap<string, Error>,
    /** The exit code, if nothing else failed. */
    result(): number {
      if (failed.size === 0) return exporterExitCodes.done
      return [...failed.values()].every(isForbidden) ? exporterExitCodes.refused : exporterExitCodes.failed
    },
  }
}
