/** The bytes of a text, as they are copied. */
export function viewOf(text: string): DataView<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text)
  return new DataView(buffer, byteOffset, byteLength)
}

/** So many are copied sooner here than by a call. */
const fewBytes = 128

/** Bytes that are written one after the other. All but `text` go where there is room for them: `reserve` sees to it, once for many. */
export class Output {
  /** How many were written; setting it back takes the last ones away. */
  length = 0
  #bytes: Buffer<ArrayBuffer>
  #view: DataView

  /** @param room where they are written, as far as they fit */
  constructor(room: ArrayBuffer) {
    this.#bytes = Buffer.from(room)
    this.#view = new DataView(room)
  }

  /** Makes room for so many bytes more. */
  reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow((this.length + more) * 2)
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }

  /** @throws RangeError where there is no room */
  byte(byte: number): void {
    this.#view.setUint8(this.length++, byte)
  }

  /** Replaces a byte that was written. */
  put(at: number, byte: number): void {
    this.#bytes[at] = byte
  }

  /** Copies `from` to `to`, exclusive. @throws RangeError where there is no room */
  copy(source: DataView<ArrayBuffer>, from: number, to: number): void {
    let length = this.length
    this.length += to - from
    if (to - from > fewBytes) {
      this.#bytes.set(new Uint8Array(source.buffer, source.byteOffset + from, to - from), length)
      return
    }
    const view = this.#view
    let at = from
    for (; at + 4 <= to; at += 4, length += 4) view.setInt32(length, source.getInt32(at, true), true)
    for (; at < to; at++) view.setUint8(length++, source.getUint8(at))
  }

  /** Writes a text, and makes room for `more` bytes after it. */
  text(text: string, more: number): void {
    this.reserve(text.length * 3 + more)
    this.length += this.#bytes.write(text, this.length)
  }

  /** What was written. */
  taken(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length)
  }
}
