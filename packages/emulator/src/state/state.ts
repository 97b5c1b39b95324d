import type { TrafficOptions } from '../traffic/options.ts'
import type { LogStore } from './log-store.ts'

/** A video library; its watermark is there or not (§2). */
export interface Library {
  readonly id: string
  readonly name: string
  hasWatermark: boolean
}

/** A pull zone. */
export interface Zone {
  readonly id: string
  readonly name: string
  allowedReferrers: string[]
  logging: 'enabled' | 'disabled'
  status: 'active' | 'suspended' | 'disabled'
  /** How visitors' addresses are shown: whole, without the last octet (/24, /64), or not at all. */
  addresses: 'whole' | 'last octet removed' | 'dropped'
  /** Whether the log shows body bytes, content range and authorization header. */
  extendedLogging: boolean
}

/** An API key and the scopes it grants. */
export interface AccessKey {
  readonly scopes: readonly string[]
}

/** All that the platform remembers. Maps are keyed by decimal int64 ids, `keys` by the key itself. */
export interface State {
  readonly libraries: Map<string, Library>
  readonly zones: Map<string, Zone>
  readonly keys: Map<string, AccessKey>
  readonly logs: LogStore
  /**
   * Gives zones traffic, as if they always had it; it takes the place of traffic that was added before.
   *
   * @returns the ids of the zones
   * @throws RangeError in one sentence where an option is not usable
   */
  addTraffic(options: TrafficOptions): readonly string[]
}

/**
 * A pull zone with defaults: active, no logging, no referrers, addresses without the last octet.
 *
 * @param id decimal int64
 * @param fields what differs from the defaults
 */
export function createZone(id: string, fields: Partial<Zone> = {}): Zone {
  return {
    id,
    name: `zone-${id}`,
    allowedReferrers: [],
    logging: 'disabled',
    status: 'active',
    addresses: 'last octet removed',
    extendedLogging: false,
    ...fields,
  }
}
