import type { HandlerRequest } from '../handler.ts'
import type { StoredLogRow } from '../state/log-row.ts'
import type { Order } from '../state/log-store.ts'
import { createRandom, shuffleTies } from '../traffic/random.ts'
import type { Span } from './time.ts'

/** The rows of a zone that a request selects. */
export interface Selection extends Span {
  readonly zoneId: string
  readonly order: Order
  /** Whether origin-shield rows are included. */
  readonly withShield: boolean
  passes(row: StoredLogRow): boolean
}

/**
 * Yields the selected rows in blocks by time, for both versions: rows that are visible at the time of the request, with ties in the
 * order that the variant `tieOrder` states.
 */
export function* selectRows(
  { context: { state, variants, random }, now }: Pick<HandlerRequest, 'context' | 'now'>,
  { zoneId, from, to, order, withShield, passes }: Selection,
): Generator<readonly StoredLogRow[]> {
  // Other requests may be served while rows are streamed. A separate random source keeps the order of ties independent of them.
  const shuffle = variants.tieOrder === 'shuffled' ? createRandom(random.hex(8)) : undefined
  const isShown = (row: StoredLogRow) =>
    (row.visibleFrom ?? 0) <= now && (withShield || !row.originShield) && passes(row)
  for (const block of state.logs.range(zoneId, from, to, order)) yield shuffleTies(block.filter(isShown), shuffle)
}

/**
 * Creates a window over a sequence that arrives in blocks.
 *
 * @param start index of the first item
 * @param end index after the last item
 */
export function createWindow(start: number, end: number) {
  let passed = 0
  return {
    /** Returns the items of the next block that are within the window. */
    cut<T>(block: readonly T[]): readonly T[] {
      const [from, to] = [Math.max(0, start - passed), Math.max(0, end - passed)]
      passed += block.length
      return block.slice(from, to)
    },
    /** Number of items that have passed. */
    passed: () => passed,
  }
}
