import { type Plan, settledUntil } from '../engine/plan.ts'
import type { Reader } from '../reader/reader.ts'
import type { Encode } from '../rows/encoder.ts'
import { type Group, groupLines } from '../segments/groups.ts'
import type { Window } from '../segments/segment.ts'

/** What the platform shows of a zone, read once, in order of time. */
export interface Platform {
  /** Whether the platform can be asked for all of a window. The first time decides where the reading begins. */
  covers(window: Window): boolean
  /** The rows of a window that is covered; windows must be asked for in order. */
  groups(window: Window): AsyncIterable<Group>
  /** Rows so far that cannot be written as lines: they belong to the reject files, and are in no group. */
  rejected(): number
  close(): Promise<void>
}

export interface PlatformOptions {
  readonly reader: Reader
  /** How rows become lines: as those of the sink did. */
  readonly encode: Encode
  readonly plan: Plan
  readonly signal: AbortSignal
}

/**
 * Looks at the platform from the edge of its retention, short of a window that may leave it while it is read, to the last
 * window that must have been exported: the newest settled one may be on its way.
 */
export function openPlatform({ reader, encode, plan, signal }: PlatformOptions, zone: string): Platform {
  const end = settledUntil(reader.now(), plan) - plan.window
  let begin: number | undefined
  let rejected = 0
  let groups: AsyncGenerator<Group, void, void> | undefined
  let next: IteratorResult<Group, void> | undefined

  async function* read(from: number): AsyncGenerator<Uint8Array, void, void> {
    for await (const batch of reader.walk(zone, from, end, signal)) {
      const { bytes, rejects } = encode(batch, 0, batch.times.length)
      rejected += rejects.length
      yield bytes
    }
  }

  return {
    covers({ from, to }) {
      if (to > end) return false
      const kept = Math.ceil((reader.now() - plan.retention) / plan.window + 1) * plan.window
      return from >= (begin ?? kept)
    },
    async *groups({ from, to }) {
      begin ??= from
      groups ??= groupLines(read(from))
      const [start, stop] = [new Date(from).toISOString(), new Date(to).toISOString()]
      for (;;) {
        next ??= await groups.next()
        if (next.done || next.value.time >= stop) return
        const group = next.value
        next = undefined
        if (group.time >= start) yield group
      }
    },
    rejected: () => rejected,
    close: async () => void (await groups?.return()),
  }
}
