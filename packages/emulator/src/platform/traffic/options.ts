import type { Schema } from '@cdn/api/contract'
import { checkValue } from '../../contract/validation.ts'

/** Continuous traffic that follows the clock, in addition to the rows of a fresh emulator. */
export interface TrafficOptions {
  /** Number of zones to add (10001, 10002, ...), or a list of zone ids. Zones that do not exist are added. */
  readonly zones: number | readonly string[]
  /** Average number of rows per second in each zone; fractions are allowed. */
  readonly rowsPerSecond: number
  /** Share of rows, 0 to 1, that become visible late; 0 by default. The other rows are visible at once. */
  readonly lateShare?: number
  /** Maximum lateness in milliseconds; a minute by default. */
  readonly maxLatenessMs?: number
  /** Share of rows, 0 to 1, on the same millisecond as the previous row; 0 by default. */
  readonly tieShare?: number
  /** Bursts in addition to the rate: `rows` rows on one millisecond, at every multiple of `everyMs`. */
  readonly bursts?: { readonly rows: number; readonly everyMs: number }
  /** Share of user texts, 0 to 1, that are likely to break a parser; 0.05 by default. */
  readonly hostileShare?: number
}

export type TrafficPlan = Required<Omit<TrafficOptions, 'zones' | 'bursts'>> & Pick<TrafficOptions, 'bursts'>

/** Maximum rate. A block lasts at least a millisecond and is generated in memory as a whole, so the rate must be limited. */
const maxRowsPerSecond = 10_000_000
/** Maximum number of zones, and of rows in a burst: both are in memory as a whole. */
const maxZones = 100_000
const maxBurst = 1_000_000

const count = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const share = { type: 'number', minimum: 0, maximum: 1 }

const trafficSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['zones', 'rowsPerSecond'],
  properties: {
    zones: {
      type: ['integer', 'array'],
      minimum: 1,
      maximum: maxZones,
      items: { type: 'string', pattern: String.raw`^\d{1,19}$` },
    },
    rowsPerSecond: { type: 'number', exclusiveMinimum: 0, maximum: maxRowsPerSecond },
    lateShare: share,
    maxLatenessMs: count,
    tieShare: share,
    hostileShare: share,
    bursts: {
      type: 'object',
      additionalProperties: false,
      required: ['rows', 'everyMs'],
      properties: { rows: { ...count, maximum: maxBurst }, everyMs: count },
    },
  },
}

/** Id of the first added zone. */
const firstZone = 10_001

/**
 * @returns the ids of the zones, and the plan that applies to each of them
 * @throws RangeError in one sentence if an option is invalid
 */
export function readTrafficOptions(options: TrafficOptions): { zoneIds: readonly string[]; plan: TrafficPlan } {
  const { zones, ...given } = checkValue<TrafficOptions>(trafficSchema, options, 'traffic')
  const ids = typeof zones === 'number' ? Array.from({ length: zones }, (_, n) => String(firstZone + n)) : zones
  return {
    zoneIds: [...new Set(ids)],
    plan: { lateShare: 0, maxLatenessMs: 60_000, tieShare: 0, hostileShare: 0.05, ...given },
  }
}
