import { closedUntil, type ExportPlan } from '../engine/plan.ts'
import type { WindowReader } from '../reader/reader.ts'
import type { Encode } from '../rows/encoder.ts'
import { groupLines, type LineGroup } from '../segments/difference.ts'
import { isoTime, type Window } from '../segments/segment.ts'

/** The rows of a zone on the platform. */
export type PlatformReader = ReturnType<typeof openPlatform>

export interface PlatformOptions {
  readonly reader: WindowReader
  /** Encodes rows as for the sink. */
  readonly encode: Encode
  readonly plan: ExportPlan
  readonly signal: AbortSignal
  /** Zones that the platform refuses, for example because they were deleted. Their segments are compared only with each other. */
  readonly hidden?: ReadonlySet<string>
}

/**
 * Reads the platform. Begins at the edge of its retention, without the windows that may leave the retention during the read. Ends
 * with the last window that must have been exported. The newest closed window does not count, because its export may not be done.
 *
 * @returns the rows of a zone, which are read once, in order of time
 */
export function openPlatform({ reader, encode, plan, signal, hidden }: PlatformOptions, zone: string) {
  const end = closedUntil(reader.now(), plan) - plan.window
  let begin: number | undefined
  let rejected = 0
  let groups: AsyncGenerator<LineGroup, void, void> | undefined
  let next: IteratorResult<LineGroup, void> | undefined

  async function* read(from: number): AsyncGenerator<Uint8Array, void, void> {
    for await (const batch of reader.readRange(zone, from, end, signal)) {
      const { bytes, rejects } = encode(batch, 0, batch.times.length)
      rejected += rejects.length
      yield bytes
    }
  }

  return {
    /** Whether the platform still has all rows of a window. The first call of `groups` decides where the read begins. */
    covers({ from, to }: Window): boolean {
      if (to > end || hidden?.has(zone)) return false
      const oldestKept = Math.ceil((reader.now() - plan.retention) / plan.window + 1) * plan.window
      return from >= (begin ?? oldestKept)
    },
    /** The rows of a covered window. Windows must be requested in order. */
    async *groups({ from, to }: Window): AsyncGenerator<LineGroup, void, void> {
      begin ??= from
      groups ??= groupLines(read(from))
      const [start, stop] = [isoTime(from), isoTime(to)]
      for (;;) {
        next ??= await groups.next()
        if (next.done || next.value.time >= stop) return
        const group = next.value
        next = undefined
        if (group.time >= start) yield group
      }
    },
    /** Number of rows so far that cannot be written as lines. They belong in the reject files, and are in none of the groups. */
    rejected: () => rejected,
    close: async () => void (await groups?.return()),
  }
}
