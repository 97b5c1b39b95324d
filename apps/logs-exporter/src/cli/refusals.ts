import type { Observe } from '../engine/events.ts'
import { isForbidden } from '../engine/failure.ts'

/** If this many zones are refused and not a single one is accepted, the credential counts as wrong. */
const decisiveCount = 20

/**
 * Detects a wrong credential: the platform refuses every zone that is tried at the start. A single refused zone does not prove it.
 *
 * @param zones number of zones
 * @param onRefused called when the credential counts as wrong
 */
export function watchRefusals(zones: number, onRefused: () => void): { observe: Observe; isRefused(): boolean } {
  const refused = new Set<string>()
  const failed = new Set<string>()
  let isOver = false
  const isRefused = () => !isOver && zones > 0 && refused.size >= Math.min(zones, decisiveCount)
  return {
    isRefused,
    observe(event) {
      if (event.type === 'failed') {
        failed.add(event.zone)
        if (!isForbidden(event.error)) return
        refused.add(event.zone)
        if (isRefused()) onRefused()
        // A cycle without a window may have sent no request. It still counts as accepted, so the other zones stay in use.
      } else if (event.type === 'window' || event.type === 'recheck') isOver = true
      else if (event.type === 'cycle' && !failed.delete(event.zone)) isOver = true
    },
  }
}
