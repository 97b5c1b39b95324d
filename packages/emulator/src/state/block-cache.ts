import type { LogRow } from './log-row.ts'
import type { Blocks } from './log-walk.ts'

/** Blocks that were made lately, so that the next page does not make the one again in which the last page ended. */
export interface BlockCache {
  /** The same blocks, by way of the cache. */
  of(zoneId: string, blocks: Blocks): Blocks
  clear(): void
}

/** More would keep rows alive for long enough that they become a burden on the garbage collector. */
const cachedBlocks = 4

export function createBlockCache(): BlockCache {
  let kept: { readonly zoneId: string; readonly block: number; readonly rows: readonly LogRow[] }[] = []
  return {
    of: (zoneId, { blockMs, rowsOf }) => ({
      blockMs,
      rowsOf(block) {
        const found = kept.find((entry) => entry.block === block && entry.zoneId === zoneId)
        const entry = found ?? { zoneId, block, rows: rowsOf(block) }
        if (!found) kept = [entry, ...kept.slice(0, cachedBlocks - 1)]
        return entry.rows
      },
    }),
    clear: () => {
      kept = []
    },
  }
}
