import { LoggingError } from '@cdn/api'
import type { Observe } from '../engine/events.ts'

/** How many zones must be refused, with none that is not, before the credential is at fault. */
const most = 20

/**
 * Finds out whether the platform refuses every zone that was tried first: then the credential is wrong, not a zone.
 *
 * @param zones how many there are
 * @param onRefused called when it does
 */
export function watchRefusals(zones: number, onRefused: () => void): { observe: Observe; isRefused(): boolean } {
  const refused = new Set<string>()
  const failed = new Set<string>()
  let isOver = false
  const isRefused = () => !isOver && refused.size >= Math.min(zones, most)
  return {
    isRefused,
    observe(event) {
      if (event.type === 'failed') {
        failed.add(event.zone)
        if (!(event.error instanceof LoggingError) || ![401, 403].includes(event.error.status)) return
        refused.add(event.zone)
        if (isRefused()) onRefused()
        // A zone that has nothing to ask for may be fine: then others are still to be exported.
      } else if (event.type === 'window' || event.type === 'look') isOver = true
      else if (event.type === 'turn' && !failed.delete(event.zone)) isOver = true
    },
  }
}
