/** Collects text as UTF-8. A page of several megabytes is then neither copied nor encoded a second time. */
export interface ByteWriter {
  write(text: string): void
  /** Returns everything that was written so far. */
  bytes(): Uint8Array<ArrayBuffer>
}

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const maxBytesPerUnit = 3

export function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(65_536)
  let length = 0
  return {
    write(text) {
      const needed = length + text.length * maxBytesPerUnit
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
