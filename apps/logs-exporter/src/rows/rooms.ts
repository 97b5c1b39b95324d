/** Buffers that are used again and again: new ones for every page would keep the garbage collector busy. */
export interface Rooms {
  /** @returns a buffer of at least so many bytes */
  take(bytes: number): ArrayBuffer
  /** Takes a buffer back; who still looks at it sees nothing any more. */
  giveBack(buffer: ArrayBuffer): void
}

/** Buffers that wait to be used again; the smallest go first. */
const mostWaiting = 2

/** Makes a store of buffers. Their sizes are powers of two, so that one fits another time. */
export function createRooms(): Rooms {
  const waiting: ArrayBuffer[] = []
  return {
    take(bytes) {
      const found = waiting.findIndex(({ byteLength }) => byteLength >= bytes)
      if (found !== -1) return waiting.splice(found, 1)[0] as ArrayBuffer
      return new ArrayBuffer(2 ** Math.ceil(Math.log2(bytes + 1)))
    },
    giveBack(buffer) {
      if (buffer.byteLength === 0) return
      waiting.push(buffer.transfer())
      waiting.sort((a, b) => a.byteLength - b.byteLength)
      if (waiting.length > mostWaiting) waiting.shift()
    },
  }
}
