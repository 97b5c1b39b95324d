/**
 * Byte text: UTF-8 bytes as a string with one character per byte (Latin-1). It needs no decoding, and regular expressions search
 * it at native speed. The syntax characters of JSON and of lines are ASCII, so they are the same characters in byte text.
 */
/** Number of bytes that are converted together. They fit into the processor's cache. */
const pieceBytes = 65_536

/** A row within byte text that also contains the neighbouring rows. */
export interface RowText {
  readonly text: string
  /** Start and end (exclusive) of the row in `text`. */
  readonly start: number
  readonly end: number
}

/** @returns a function that returns a row by its start and end in the bytes; rows must be requested in order */
export function createRowTexts(bytes: Buffer): (start: number, end: number) => RowText {
  let text = ''
  let textStart = 0
  let textEnd = 0
  return (start, end) => {
    if (end > textEnd) {
      textStart = start
      textEnd = Math.min(Math.max(end, start + pieceBytes), bytes.length)
      text = bytes.toString('latin1', textStart, textEnd)
    }
    return { text, start: start - textStart, end: end - textStart }
  }
}

/** @returns the text that byte text encodes */
export function fromByteText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString()
}

/** @returns the byte text of a text */
export function toByteText(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/**
 * Creates a function that formats times (ms since 1970) as `2026-06-17T14:30:00.000Z`. Neighbouring rows often differ only in the
 * milliseconds, so each second is formatted once.
 */
export function createTimeFormat(): (time: number) => string {
  let second = Number.NaN
  let prefix = ''
  return (time) => {
    const start = Math.floor(time / 1000)
    if (start !== second) {
      prefix = new Date(start * 1000).toISOString().slice(0, -4)
      second = start
    }
    return `${prefix}${String(time - start * 1000).padStart(3, '0')}Z`
  }
}

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
