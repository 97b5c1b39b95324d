import { SinkError } from '../errors.ts'
import type { Window } from '../segments/segment.ts'

/**
 * Refuses a window that overlaps a segment of another window. This happens if two exporters with different window lengths work on
 * one zone. The sink would then have rows twice.
 *
 * @param present windows of the zone that have segments
 * @throws SinkError (overlap)
 */
export function refuseOverlap(window: Window, present: Iterable<Window>): void {
  const { zone, from, to } = window
  for (const other of present) {
    if (other.to <= from || other.from >= to || (other.from === from && other.to === to)) continue
    throw new SinkError(
      'overlap',
      `The sink has a segment of zone ${zone} from ${iso(other.from)} to ${iso(other.to)}, which overlaps the window from ${iso(from)} to ${iso(to)}: another exporter with a different window length works on the zone; configure the same window in all exporters.`,
    )
  }
}

const iso = (time: number) => new Date(time).toISOString()
