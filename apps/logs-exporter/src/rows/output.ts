/** Bytes that are written one after the other, into a buffer that grows. */
export interface Output {
  /** Room for `bytes` more; at `length` the next byte is to be written. */
  readonly bytes: Buffer
  length: number
  /** Makes room. */
  reserve(more: number): void
  text(text: string): void
  /** What was written. */
  taken(): Uint8Array
}

/** @param expected about how many bytes will be written */
export function createOutput(expected: number): Output {
  let bytes = Buffer.allocUnsafeSlow(expected)
  const output = {
    get bytes() {
      return bytes
    },
    length: 0,
    reserve(more: number) {
      if (output.length + more <= bytes.length) return
      const larger = Buffer.allocUnsafeSlow((output.length + more) * 2)
      bytes.copy(larger, 0, 0, output.length)
      bytes = larger
    },
    text(text: string) {
      output.reserve(text.length * 3)
      output.length += bytes.write(text, output.length)
    },
    taken: () => bytes.subarray(0, output.length),
  }
  return output
}
