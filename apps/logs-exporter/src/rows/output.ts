import type { BufferPool } from '../buffer-pool.ts'

/** Collects the bytes of lines in a pooled buffer, which grows when needed. */
export class LineBuffer {
  #bytes: Buffer<ArrayBuffer>
  #length = 0
  readonly #pool: BufferPool

  /** @param expected probable number of bytes */
  constructor(pool: BufferPool, expected: number) {
    this.#pool = pool
    this.#bytes = Buffer.from(pool.take(expected))
  }

  /** Appends bytes `from` to `to` (exclusive) of a source. */
  copy(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from)
    this.#length += source.copy(this.#bytes, this.#length, from, to)
  }

  /** Appends byte text. */
  write(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  /** @returns the written bytes. They are valid until the buffer goes back to the pool */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.from(this.#pool.take((this.#length + more) * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#pool.release(this.#bytes.buffer)
    this.#bytes = larger
  }
}
