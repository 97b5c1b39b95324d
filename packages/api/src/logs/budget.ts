/** A page to reserve memory for. */
export interface PageReservation {
  readonly pullZoneId: number | bigint
  /** Length of its range. */
  readonly ms: number
}

/** Permission to hold a page in memory. */
export interface Grant {
  /** Maximum number of rows to request. */
  readonly rows: number
  /** Reports the actual page: its size, and the time that its rows cover. */
  settle(page: { readonly bytes: number; readonly rows: number; readonly ms: number }): void
  /** Buffer for the page, if there is a free one. */
  readonly room?: Uint8Array<ArrayBuffer> | undefined
  /**
   * Ends the use of the page.
   *
   * @param bytes buffer of the page, without other users
   */
  release(bytes?: ArrayBuffer): void
}

/**
 * Limits the memory of the range reads that share it, from the request of a page until its rows are taken. Read-ahead pages are
 * taken only after earlier ones of the same range read and never wait for a grant, so range reads cannot block each other.
 */
export interface PageBudget {
  /**
   * Waits until a page may be requested.
   *
   * @throws the signal's reason, if it fires first
   */
  reserve(page: PageReservation, signal: AbortSignal): Promise<Grant>
  /** @returns a grant for a read-ahead page; undefined if the budget is used up */
  reserveAhead(page: PageReservation): Grant | undefined
}

/** For a single range read, which holds at most four pages: reuses the buffers of earlier pages. */
export function ownBudget(): PageBudget {
  const rooms: ArrayBuffer[] = []
  const grant = (): Grant => {
    const room = rooms.pop()
    return {
      rows: Number.POSITIVE_INFINITY,
      room: room && new Uint8Array(room),
      settle() {},
      // Detached if the runtime supports it: a late reader then sees an empty buffer.
      release: (bytes) => bytes && rooms.push(bytes.transfer?.() ?? bytes),
    }
  }
  return { reserve: async () => grant(), reserveAhead: grant }
}
