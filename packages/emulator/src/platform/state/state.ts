import type { TrafficOptions } from '../traffic/options.ts'
import type { LogStore } from './log-store.ts'
import type { Resources } from './resources.ts'
import type { Zones } from './zones.ts'

/** An API key and the scopes it grants. */
export interface AccessKey {
  readonly scopes: readonly string[]
}

/** The state of the platform. */
export interface State {
  readonly resources: Resources
  /** Pull zones by id (int64 in decimal). */
  readonly zones: Zones
  /** API keys by their value. */
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
