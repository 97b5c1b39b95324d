import { type Observe, observeWith } from '../engine/events.ts'
import { isForbidden } from '../engine/failure.ts'
import type { WindowReader } from '../reader/api-reader.ts'

/** If this many zones, or all if there are fewer, are refused and none is accepted, the credential counts as wrong. */
const decisiveCount = 20

/**
 * Detects a wrong credential: the platform refuses every zone that is tried at the start. A single refused zone proves nothing.
 *
 * @param reader knows whether the platform has accepted a request; until then, each cycle of a zone sends a request
 * @param zones number of the current zones
 * @param onRefused called when the credential counts as wrong
 */
export function watchRefusals(
  reader: Pick<WindowReader, 'isAccepted'>,
  zones: () => number,
  onRefused: () => void,
): Observe {
  const refused = new Set<string>()
  return observeWith({
    failed({ zone, error }) {
      if (!isForbidden(error) || reader.isAccepted()) return
      if (refused.add(zone).size >= Math.min(Math.max(1, zones()), decisiveCount)) onRefused()
    },
  })
}
