/** Traffic that goes on for as long as the clock does, beside what a fresh emulator holds. */
export interface TrafficOptions {
  /** How many zones, which are then added (10001, 10002, ...), or ids; those that do not exist are added. */
  readonly zones: number | readonly string[]
  /** Rows of each zone a second, on average; a fraction is fine. */
  readonly rowsPerSecond: number
  /** Share of rows, 0 to 1, that become visible late; 0 where absent. The others do at once. */
  readonly lateShare?: number
  /** How late at most, in milliseconds; a minute where absent. */
  readonly maxLatenessMs?: number
  /** Share of rows, 0 to 1, on the same millisecond as the row before; 0 where absent. */
  readonly tieShare?: number
  /** Now and then many rows on one millisecond, on top of the rate: `rows` of them at every multiple of `everyMs`. */
  readonly bursts?: { readonly rows: number; readonly everyMs: number }
  /** Share of user texts, 0 to 1, that try to break a parser; 0.05 where absent. */
  readonly hostileShare?: number
}

/** The same with every default filled in. */
export type TrafficPlan = Required<Omit<TrafficOptions, 'zones' | 'bursts'>> & Pick<TrafficOptions, 'bursts'>

const known = ['zones', 'rowsPerSecond', 'lateShare', 'maxLatenessMs', 'tieShare', 'bursts', 'hostileShare']

/** Added zones are numbered from here on. */
const firstZone = 10_001

/**
 * @returns the ids of the zones, and the plan for each of them
 * @throws RangeError in one sentence where an option is not usable
 */
export function readTrafficOptions(options: TrafficOptions): { zoneIds: readonly string[]; plan: TrafficPlan } {
  if (typeof options !== 'object' || options === null)
    throw new RangeError('traffic takes at least zones and rowsPerSecond')
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`There is no option traffic.${unknown}; there are: ${known.join(', ')}`)
  const { zones, rowsPerSecond, lateShare = 0, maxLatenessMs = 60_000, tieShare = 0, hostileShare = 0.05 } = options
  const { bursts } = options
  const isCount = typeof zones === 'number'
  if (isCount ? !isPositive(zones) : !(Array.isArray(zones) && zones.every(isId)))
    throw new RangeError('traffic.zones must be a positive integer, or a list of ids in decimal digits')
  if (!(rowsPerSecond > 0 && rowsPerSecond <= mostRows))
    throw new RangeError(`traffic.rowsPerSecond must be above 0 and at most ${mostRows}, not ${rowsPerSecond}`)
  for (const [name, share] of Object.entries({ lateShare, tieShare, hostileShare }))
    if (!(share >= 0 && share <= 1)) throw new RangeError(`traffic.${name} must be a share from 0 to 1, not ${share}`)
  if (!isPositive(maxLatenessMs)) throw new RangeError('traffic.maxLatenessMs must be a positive integer')
  if (bursts && !(isPositive(bursts.rows) && isPositive(bursts.everyMs)))
    throw new RangeError('traffic.bursts takes two positive integers, rows and everyMs')
  return {
    zoneIds: isCount ? Array.from({ length: zones }, (_, index) => String(firstZone + index)) : zones,
    plan: { rowsPerSecond, lateShare, maxLatenessMs, tieShare, hostileShare, ...(bursts && { bursts }) },
  }
}

/** A block is a millisecond at least, and held in memory as a whole. */
const mostRows = 10_000_000

const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0
const isId = (value: unknown) => typeof value === 'string' && /^\d{1,19}$/.test(value)
