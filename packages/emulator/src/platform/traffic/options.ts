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

/** The options with all defaults. */
export type TrafficPlan = Required<Omit<TrafficOptions, 'zones' | 'bursts'>> & Pick<TrafficOptions, 'bursts'>

const optionNames = ['zones', 'rowsPerSecond', 'lateShare', 'maxLatenessMs', 'tieShare', 'bursts', 'hostileShare']

/** Id of the first added zone. */
const firstZone = 10_001

/**
 * @returns the ids of the zones, and the plan that applies to each of them
 * @throws RangeError in one sentence if an option is invalid
 */
export function readTrafficOptions(options: TrafficOptions): { zoneIds: readonly string[]; plan: TrafficPlan } {
  if (typeof options !== 'object' || options === null)
    throw new RangeError('Invalid traffic: expected an object with at least zones and rowsPerSecond')
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`Unknown option traffic.${unknown}: expected one of ${optionNames.join(', ')}`)
  const { zones, rowsPerSecond, lateShare = 0, maxLatenessMs = 60_000, tieShare = 0, hostileShare = 0.05 } = options
  const { bursts } = options
  const isCount = typeof zones === 'number'
  if (isCount ? !isPositive(zones, maxZones) : !(Array.isArray(zones) && zones.every(isId)))
    throw new RangeError(`traffic.zones must be an integer from 1 to ${maxZones}, or a list of ids in decimal digits`)
  if (!(rowsPerSecond > 0 && rowsPerSecond <= maxRowsPerSecond))
    throw new RangeError(`traffic.rowsPerSecond must be above 0 and at most ${maxRowsPerSecond}, not ${rowsPerSecond}`)
  for (const [name, share] of Object.entries({ lateShare, tieShare, hostileShare }))
    if (!(share >= 0 && share <= 1)) throw new RangeError(`traffic.${name} must be a share from 0 to 1, not ${share}`)
  if (!isPositive(maxLatenessMs)) throw new RangeError('traffic.maxLatenessMs must be a positive integer')
  if (bursts && !(isPositive(bursts.rows, maxBurst) && isPositive(bursts.everyMs)))
    throw new RangeError(`traffic.bursts takes two positive integers, rows (at most ${maxBurst}) and everyMs`)
  return {
    zoneIds: isCount ? Array.from({ length: zones }, (_, index) => String(firstZone + index)) : zones,
    plan: { rowsPerSecond, lateShare, maxLatenessMs, tieShare, hostileShare, ...(bursts && { bursts }) },
  }
}

/** Maximum rate. A block lasts at least a millisecond and is generated in memory as a whole, so the rate must be limited. */
export const maxRowsPerSecond = 10_000_000
/** Maximum number of zones, and of rows in a burst: both are in memory as a whole. */
export const maxZones = 100_000
export const maxBurst = 1_000_000

const isPositive = (value: number, max = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && value > 0 && value <= max
const isId = (value: unknown) => typeof value === 'string' && /^\d{1,19}$/.test(value)
