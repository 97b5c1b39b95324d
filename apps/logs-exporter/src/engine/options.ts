import type { Coordinator, Lease } from '../fleet/coordinator.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Rejects } from '../ledger/rejects.ts'
import type { Reader } from '../reader/reader.ts'
import type { Encode, Source } from '../rows/encoder.ts'
import type { Sink } from '../sinks/sink.ts'
import type { Observe } from './events.ts'
import type { Plan } from './plan.ts'

/** What the engine works with. */
export interface EngineOptions {
  readonly reader: Reader
  readonly sink: Sink
  readonly ledger: Ledger
  readonly coordinator: Coordinator
  readonly encode: Readonly<Record<Source, Encode>>
  readonly rejects: Rejects
  readonly plan: Plan
  readonly observe: Observe
  /** Ends the engine: work under way is dropped where it is, which loses nothing. */
  readonly signal: AbortSignal
  /** How many zones are worked on at a time; 64 where absent. Each holds a segment that is being written. */
  readonly parallel?: number
}

/** What the work on one zone needs: the engine's parts, under a lease. */
export interface ZoneContext extends Omit<EngineOptions, 'signal' | 'coordinator' | 'parallel'>, Lease {
  readonly memory: ZoneMemory
}

/** What is known of a zone beyond a turn, as long as the process lives. */
export interface ZoneMemory {
  /** The epoch of the last turn here; undefined before the first. */
  epoch: number | undefined
  /** The ledger was compared with the sink since nobody else has had the zone. */
  isReconciled: boolean
  /** Turns in a row that failed. */
  failures: number
  /** How many of them failed because version 2 gave no usable answer. */
  readFailures: number
  /** How far the last walk of version 2 came, and how long it took, both in ms. */
  pace: { readonly covered: number; readonly spent: number }
  /** How often in a row a start was refused because it is no longer kept. */
  refusedStarts: number
  /** When a day file was last read, in ms since 1970. */
  bulkAt: number
}

/** What is known of a zone at first: nothing. */
export function createZoneMemory(): ZoneMemory {
  return {
    epoch: undefined,
    isReconciled: false,
    failures: 0,
    readFailures: 0,
    pace: { covered: 0, spent: 0 },
    refusedStarts: 0,
    bulkAt: Number.NEGATIVE_INFINITY,
  }
}
