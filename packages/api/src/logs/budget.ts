/** A page to reserve memory for. */
export interface PageReservation {
  readonly pullZoneId: number | bigint
  /** Length of the page's time range. */
  readonly ms: number
}

/** Permission to hold a page in memory. */
export interface Grant {
  /** Maximum number of rows to request. */
  readonly rows: number
  /** Reports the size of the actual page, and the length of the time range that its rows cover. */
  settle(page: { readonly bytes: number; readonly rows: number; readonly ms: number }): void
  /** Buffer for the page, if there is a free one. */
  readonly room?: Uint8Array<ArrayBuffer> | undefined
  /**
   * Ends the use of the page.
   *
   * @param bytes buffer of the page, for reuse; nothing else may use it
   */
  release(bytes?: ArrayBuffer): void
}

/**
 * Limits the memory of the range reads that share this budget. A page counts from its request until its rows are taken. A
 * read-ahead page is taken only after the earlier pages of its range read, so it never waits for a grant. So range reads cannot
 * block each other.
 */
export interface PageBudget {
  /**
   * Waits until a page may be requested.
   *
   * @throws the signal's reason, if the signal fires first
   */
  reserve(page: PageReservation, signal: AbortSignal): Promise<Grant>
  /** @returns a grant for a read-ahead page; undefined if the budget is used up */
  reserveAhead(page: PageReservation): Grant | undefined
}

/** Creates a budget for a single range read. It reuses the buffers of earlier pages and has no limit: a read holds four pages. */
export function ownBudget(): PageBudget {
  const rooms: ArrayBuffer[] = []
  const grant = (): Grant => {
    const room = rooms.pop()
    return {
      rows: Number.POSITIVE_INFINITY,
      room: room && new Uint8Array(room),
      settle() {},
      // `transfer` detaches the buffer, if the runtime supports it. A late reader then sees an empty buffer.
      release: (bytes) => bytes && rooms.push(bytes.transfer?.() ?? bytes),
    }
  }
  return { reserve: async () => grant(), reserveAhead: grant }
}
