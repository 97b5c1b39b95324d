import { readBytes } from '../bytes.ts'
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

/** First length of a buffer, and the room that a short page needs. */
const minBytes = 65_536
/** Maximum number of free buffers. */
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
  const waiting = new Set<() => boolean>()
  let held = 0
  /** Number of pages that were the next of their range read when they were admitted. */
  let next = 0

  function take(length: number): void {
    held += length
    for (const admit of waiting) if (admit()) waiting.delete(admit)
  }
  /** `transfer` detaches the buffer, if the runtime supports it. A late reader then sees an empty buffer. */
  function keep(buffer: ArrayBuffer): void {
    free.push(buffer.transfer?.() ?? buffer)
    free.sort((a, b) => a.byteLength - b.byteLength)
    if (free.length > maxFree) free.shift()?.transfer?.(0) // frees it at once
  }
  /** Waits for room. @returns a function that changes the length of the page; with 0, the page is gone */
  function waitForRoom({ pullZoneId, isNext, signal }: WaitingPage): Promise<(length: number) => void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        waiting.delete(admit)
        reject(signal?.reason)
      }
      const admit = () => {
        let room = Math.min(Math.max((known.get(String(pullZoneId))?.bytes ?? pageBytes) * 2, minBytes), pageBytes)
        const isTurn = isNext()
        if (isTurn ? next > 0 && held + room > bytes : held + room > bytes / 2) return false
        signal?.removeEventListener('abort', stop)
        held += room
        if (isTurn) next++
        resolve((length) => {
          if (isTurn && length === 0) next--
          const more = length - room
          room = length
          take(more)
        })
        return true
      }
      if (signal?.aborted) return stop()
      signal?.addEventListener('abort', stop)
      waiting.add(admit)
      take(0)
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
      const resize = await waitForRoom(page)
      try {
        const expected = Math.ceil((known.get(String(page.pullZoneId))?.bytes ?? 0) * 1.1)
        const buffer = free.pop() ?? new ArrayBuffer(Math.max(minBytes, expected))
        let read = await readBytes(body, page.maxBytes, new Uint8Array(buffer))
        if (read.length * 2 < read.buffer.byteLength) {
          // A short page must not hold a long buffer while its rows wait for the consumer.
          const { buffer } = read
          read = read.slice()
          keep(buffer)
        }
        const bytes = read
        // An empty page counts as one byte, so that it is released like any other.
        resize(Math.max(bytes.buffer.byteLength, 1))
        return {
          bytes,
          release() {
            keep(bytes.buffer)
            resize(0)
          },
        }
      } catch (error) {
        resize(0)
        throw error
      }
    },
  }
}
