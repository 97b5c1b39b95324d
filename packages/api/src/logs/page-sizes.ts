import { maxPageSize } from '../gen/limits.ts'

interface PageSize {
  readonly bytes: number
  readonly rows: number
}

/** The length of the last page of each zone, from which the next one is predicted. */
export type PageSizes = ReturnType<typeof createPageSizes>

/**
 * Creates an empty record of page lengths.
 *
 * @param firstRows number of rows to request of an unknown zone
 */
export function createPageSizes(firstRows = maxPageSize) {
  const known = new Map<string, PageSize>()
  return {
    /** Number of rows to request of a zone, so that the page has at most `bytes` bytes if its rows are as long as the last ones. */
    maxRows(pullZoneId: number | bigint, bytes: number): number {
      const last = known.get(String(pullZoneId))
      return last ? Math.max(1, Math.floor(bytes / (last.bytes / Math.max(last.rows, 1)))) : firstRows
    },
    learn: (pullZoneId: number | bigint, page: PageSize) => void known.set(String(pullZoneId), page),
  }
}
