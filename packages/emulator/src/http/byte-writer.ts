/** Text that grows at its end, kept as UTF-8: a page of several megabytes is then neither copied nor encoded again. */
export interface ByteWriter {
  write(text: string): void
  /** All that was written. */
  bytes(): Uint8Array<ArrayBuffer>
}

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const widest = 3

export function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(65_536)
  let length = 0
  return {
    write(text) {
      const needed = length + text.length * widest
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      length += buffer.write(text, length)
    },
    bytes: () => buffer.subarray(0, length),
  }
}
