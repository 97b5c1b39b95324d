import { readBytes } from '../bytes.ts'
import { unlessAborted } from '../fetch/sleep.ts'
import { maxPageSize } from '../gen/limits.ts'

/** Memory for pages, shared by range reads. A page counts from the first byte of its body until its rows are taken. */
export interface PageMemory {
  /** Maximum number of rows to request of a zone, so that a page has the desired length. */
  maxRows(pullZoneId: number | bigint): number
  /** Records the rows of a page, to predict the next page of its zone. */
  learn(pullZoneId: number | bigint, page: { readonly bytes: number; readonly rows: number }): void
  /** Whether there is room for pages that are read ahead. If not, they are not even requested. */
  hasRoom(): boolean
  /** Bytes in use. */
  held(): number
  /**
   * Reads the body of a page when there is room for it. Until then the body stays unread, so the server waits.
   *
   * @throws RangeError if the page is too long; errors of the body; the signal's reason
   */
  read(body: ReadableStream<Uint8Array<ArrayBuffer>> | null, page: WaitingPage): Promise<HeldPage>
}

interface WaitingPage {
  readonly pullZoneId: number | bigint
  /** Whether the consumer of the range read waits for this page. */
  readonly isNext: () => boolean
  readonly maxBytes: number
  readonly signal: AbortSignal | undefined
}

/** A page in memory. */
export interface HeldPage {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Ends the use of the page. Its bytes are reused. */
  release(): void
}

interface Room {
  readonly isNext: boolean
  length: number
}

/** First length of a buffer, and the room that a short page needs. */
const minBytes = 65_536
const maxFree = 2

/**
 * Creates memory for pages. A page needs room for twice the length of its zone's last one, or for the longest page if the zone is
 * unknown. Pages that are read ahead take at most half of the memory, and one page that a consumer waits for is always admitted. So
 * range reads cannot block each other.
 *
 * @param bytes at least two pages, so that pages can be read ahead; pages that are longer than expected may exceed it
 * @param pageBytes desired maximum length of a page. If rows are long, fewer are requested
 * @param firstRows number of rows to request of an unknown zone
 */
export function createPageMemory(bytes: number, pageBytes: number, firstRows = maxPageSize): PageMemory {
  /** Buffers for reuse, ascending by length. A new buffer for each page would keep the garbage collector busy. */
  const free: ArrayBuffer[] = []
  /** The last page of each zone. */
  const known = new Map<string, { readonly bytes: number; readonly rows: number }>()
  const waiting = new Set<WaitingPage & { readonly start: (room: Room) => void }>()
  let held = 0
  /** Number of pages that were the next of their range read when they were admitted. */
  let next = 0

  /** Admits waiting pages in order. None overtakes a page that a consumer waits for. */
  function admit(): void {
    for (const page of waiting) {
      const expected = (known.get(String(page.pullZoneId))?.bytes ?? pageBytes) * 2
      const room = { isNext: page.isNext(), length: Math.min(Math.max(expected, minBytes), pageBytes) }
      const isFull = held + room.length > (room.isNext ? bytes : bytes / 2)
      if (room.isNext && isFull && next > 0) return
      if (!room.isNext && isFull) continue
      waiting.delete(page)
      held += room.length
      if (room.isNext) next++
      page.start(room)
    }
  }
  function resize(room: Room, length: number): void {
    held += length - room.length
    room.length = length
    admit()
  }
  function giveBack(room: Room): void {
    if (room.isNext) next--
    resize(room, 0)
  }
  /** `transfer` detaches the buffer, if the runtime supports it. A late reader then sees an empty buffer. */
  function keep(buffer: ArrayBuffer): void {
    free.push(buffer.transfer?.() ?? buffer)
    free.sort((a, b) => a.byteLength - b.byteLength)
    if (free.length > maxFree) free.shift()?.transfer?.(0) // frees it at once
  }
  async function waitForRoom(page: WaitingPage): Promise<Room> {
    let start: (room: Room) => void = () => {}
    const admitted = new Promise<Room>((resolve) => {
      start = resolve
    })
    const entry = { ...page, start }
    waiting.add(entry)
    admit()
    return unlessAborted(admitted, page.signal).catch((reason) => {
      if (waiting.delete(entry)) admit()
      else admitted.then(giveBack) // it was admitted at the same moment
      throw reason
    })
  }

  return {
    maxRows(pullZoneId) {
      const last = known.get(String(pullZoneId))
      return last ? Math.max(1, Math.floor(pageBytes / (last.bytes / Math.max(last.rows, 1)))) : firstRows
    },
    learn: (pullZoneId, page) => void known.set(String(pullZoneId), page),
    hasRoom: () => waiting.size === 0 && held <= bytes / 2,
    held: () => held,
    async read(body, page) {
      const room = await waitForRoom(page)
      try {
        const expected = Math.ceil((known.get(String(page.pullZoneId))?.bytes ?? 0) * 1.1)
        const buffer = free.pop() ?? new ArrayBuffer(Math.max(minBytes, expected))
        let bytes = await readBytes(body, page.maxBytes, new Uint8Array(buffer))
        if (bytes.length * 2 < bytes.buffer.byteLength) {
          // A short page must not hold a long buffer while its rows wait for the consumer.
          const long = bytes.buffer
          bytes = bytes.slice()
          keep(long)
        }
        const { buffer: own } = bytes
        resize(room, own.byteLength)
        return {
          bytes,
          release() {
            keep(own)
            giveBack(room)
          },
        }
      } catch (error) {
        giveBack(room)
        throw error
      }
    },
  }
}
