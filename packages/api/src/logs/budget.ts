/** A page that is to be asked for. */
export interface WantedPage {
  readonly pullZoneId: number | bigint
  /** The length of its range. */
  readonly ms: number
}

/** The right to hold a page in memory. */
export interface Grant {
  /** How many rows may be asked for. */
  readonly rows: number
  /** Tells what the page turned out to be: its size, and the time that its rows cover. */
  settle(page: { readonly bytes: number; readonly rows: number; readonly ms: number }): void
  /** Where the page is read into, if it has room there. */
  readonly room?: Uint8Array<ArrayBuffer> | undefined
  /**
   * The page is held no more.
   *
   * @param bytes what it was read into; nobody else has it
   */
  release(bytes?: ArrayBuffer): void
}

/**
 * Bounds what the walks that share it hold in memory, from the request for a page until its rows are taken. A page that is
 * read ahead is taken only after others of its walk: it never waits for a grant, so that walks cannot block one another.
 */
export interface Budget {
  /**
   * Waits until a page may be asked for.
   *
   * @throws the signal's reason, when it fires first
   */
  reserve(wanted: WantedPage, signal: AbortSignal): Promise<Grant>
  /** @returns a grant for a page that is read ahead; undefined where there is no room now */
  reserveAhead(wanted: WantedPage): Grant | undefined
}

/** For a single walk, which holds four pages at most: pages are read into the buffers of those before them. */
export function ownBudget(): Budget {
  const rooms: ArrayBuffer[] = []
  const grant = (): Grant => {
    const room = rooms.pop()
    return {
      rows: Number.POSITIVE_INFINITY,
      room: room && new Uint8Array(room),
      settle() {},
      // Whoever still looks at it finds it empty, where the runtime can do that.
      release: (bytes) => bytes && rooms.push(bytes.transfer?.() ?? bytes),
    }
  }
  return { reserve: async () => grant(), reserveAhead: grant }
}
