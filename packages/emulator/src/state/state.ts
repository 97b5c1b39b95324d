import type { TrafficOptions } from '../traffic/options.ts'
import type { LogStore } from './log-store.ts'

/** A video library, with or without a watermark (§2). */
export interface Library {
  readonly id: string
  readonly name: string
  hasWatermark: boolean
  readonly dateCreated: Date
  /** The pull zone that serves its videos. */
  readonly pullZoneId: string
}

/** A pull zone. */
export interface PullZone {
  readonly id: string
  readonly name: string
  allowedReferrers: string[]
  logging: 'enabled' | 'disabled'
  status: 'active' | 'suspended' | 'disabled'
  /** How the logs show visitors' addresses: whole, without the last octet (/24, /64), or not at all. */
  addresses: 'whole' | 'last octet removed' | 'dropped'
  /** Whether the logs contain body bytes, content range and authorization header. */
  extendedLogging: boolean
}

/** An API key and the scopes it grants. */
export interface AccessKey {
  readonly scopes: readonly string[]
}

/** The state of the platform. The keys of the maps are ids (int64 in decimal). In `keys`, they are the API keys themselves. */
export interface State {
  readonly libraries: Map<string, Library>
  readonly zones: Map<string, PullZone>
  readonly keys: Map<string, AccessKey>
  readonly logs: LogStore
  /**
   * Adds continuous traffic to zones, for past and future. It replaces earlier continuous traffic of these zones.
   *
   * @returns the ids of the zones
   * @throws RangeError in one sentence if an option is invalid
   */
  addTraffic(options: TrafficOptions): readonly string[]
  /**
   * Regenerates all traffic after a change of variants. Rows that were appended to the zones of a fresh emulator are lost.
   */
  renewTraffic(): void
}

/**
 * Creates a pull zone with defaults: active, no logging, no referrers, addresses without the last octet.
 *
 * @param id decimal int64
 * @param fields fields that differ from the defaults
 */
export function createZone(id: string, fields: Partial<PullZone> = {}): PullZone {
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
