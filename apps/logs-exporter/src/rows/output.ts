/** So many are copied sooner one by one than by a call. */
const fewBytes = 32

/** Bytes that are written one after the other, into a buffer that grows. */
export class Output {
  /** How many were written; setting it back takes the last ones away. */
  length = 0
  #bytes: Buffer<ArrayBuffer>

  /** @param room where they are written, as far as they fit */
  constructor(room: ArrayBuffer) {
    this.#bytes = Buffer.from(room)
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.length++] = byte
  }

  /** Replaces a byte that was written. */
  put(at: number, byte: number): void {
    this.#bytes[at] = byte
  }

  /** Copies `from` to `to`, exclusive. */
  copy(bytes: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from)
    const target = this.#bytes
    let length = this.length
    this.length += to - from
    if (to - from > fewBytes) target.set(bytes.subarray(from, to), length)
    else for (let at = from; at < to; at++) target[length++] = bytes[at] as number
  }

  text(text: string): void {
    this.#reserve(text.length * 3)
    this.length += this.#bytes.write(text, this.length)
  }

  /** What was written. */
  taken(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length)
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow((this.length + more) * 2)
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}
