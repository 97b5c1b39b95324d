import type { DeadLetters } from '../ledger/dead-letters.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import type { RowEncoder } from '../rows/encoder.ts'
import type { Sink } from '../sinks/sink.ts'
import type { Observe } from './events.ts'
import type { ExportPlan } from './plan.ts'
import type { ZoneSchedule } from './schedule.ts'

export interface EngineOptions {
  readonly reader: WindowReader
  readonly sink: Sink
  readonly ledger: Ledger
  readonly schedule: ZoneSchedule
  readonly encode: RowEncoder
  readonly rejects: DeadLetters
  readonly plan: ExportPlan
  readonly observe: Observe
  /** Ends the engine. Work in progress is dropped, but no data is lost. */
  readonly signal: AbortSignal
}

export interface ZoneContext extends Omit<EngineOptions, 'schedule'> {
  readonly zone: string
  readonly memory: ZoneMemory
}

/** State of a zone across cycles, in the memory of this process. */
export class ZoneMemory {
  /** Whether the ledger was compared with the sink. */
  isRecovered = false
  /** Consecutive failed cycles. */
  failures = 0
  /** Time of the first of these failures, in ms since 1970; undefined after a success; null before, as the ledger may have an older one. */
  failingSince: number | undefined | null = null
  /** Time span that the last range read covered, and the time spent waiting for the reader, both in ms. */
  pace: { readonly covered: number; readonly spent: number } = { covered: 0, spent: 0 }
  /** Number of consecutive starts that were refused as beyond the retention. */
  refusedStarts = 0
}
