/** Reusable buffers. A new buffer for each page would keep the garbage collector busy. */
export interface BufferPool {
  /** @returns a free buffer of at least `bytes` bytes, with undefined content; undefined if no free buffer is large enough */
  takeFree(bytes: number): ArrayBuffer | undefined
  /** Like `takeFree`, but allocates a buffer if needed. */
  take(bytes: number): ArrayBuffer
  /** Takes a buffer back and detaches it. If code still holds a view of the buffer, that view becomes empty. */
  release(buffer: ArrayBuffer): void
}

/**
 * Creates a pool. Sizes of new buffers are powers of two, so that later requests can reuse them.
 *
 * @param maxFree maximum number of free buffers; if there are more, the pool drops the smallest
 */
export function createBufferPool(maxFree = 4): BufferPool {
  const free: ArrayBuffer[] = []
  const takeFree = (bytes: number) => {
    const index = free.findIndex(({ byteLength }) => byteLength >= bytes)
    return index === -1 ? undefined : free.splice(index, 1)[0]
  }
  return {
    takeFree,
    take: (bytes) => takeFree(bytes) ?? new ArrayBuffer(2 ** Math.ceil(Math.log2(bytes + 1))),
    release(buffer) {
      if (buffer.byteLength === 0) return
      free.push(buffer.transfer())
      free.sort((a, b) => a.byteLength - b.byteLength)
      if (free.length > maxFree) free.shift()
    },
  }
}
