import type { StoredLogRow } from './log-row.ts'
import type { Blocks } from './log-walk.ts'

/** Caches recent blocks. The next page often starts in the block in which the last page ended. */
export interface BlockCache {
  /** Returns the same blocks, read through the cache. */
  of(zoneId: string, blocks: Blocks): Blocks
  clear(): void
}

/** Maximum number of cached blocks. With more blocks, rows live long enough to slow down the garbage collector. */
const maxCachedBlocks = 4

export function createBlockCache(): BlockCache {
  let entries: { readonly zoneId: string; readonly block: number; readonly rows: readonly StoredLogRow[] }[] = []
  return {
    of: (zoneId, { blockMs, rowsOf }) => ({
      blockMs,
      rowsOf(block) {
        const cached = entries.find((entry) => entry.block === block && entry.zoneId === zoneId)
        const entry = cached ?? { zoneId, block, rows: rowsOf(block) }
        if (!cached) entries = [entry, ...entries.slice(0, maxCachedBlocks - 1)]
        return entry.rows
      },
    }),
    clear: () => {
      entries = []
    },
  }
}
