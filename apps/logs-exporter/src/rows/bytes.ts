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

/** Free buffers, ascending by length. A new buffer for the lines of each page would keep the garbage collector busy. */
const free: ArrayBuffer[] = []
const maxFree = 2

/** @returns a buffer of at least `bytes` bytes. The lengths of new ones are powers of two, so that later lines can reuse them */
function takeBuffer(bytes: number): ArrayBuffer {
  const index = free.findIndex(({ byteLength }) => byteLength >= bytes)
  const [buffer] = index === -1 ? [] : free.splice(index, 1)
  return buffer ?? new ArrayBuffer(2 ** Math.ceil(Math.log2(bytes + 1)))
}

/** Takes a buffer back and detaches it. If code still holds a view of the buffer, that view becomes empty. */
function releaseBuffer(buffer: ArrayBuffer): void {
  if (buffer.byteLength === 0) return
  free.push(buffer.transfer())
  free.sort((a, b) => a.byteLength - b.byteLength)
  if (free.length > maxFree) free.shift()?.transfer(0) // frees it at once
}

/** Collects the bytes of lines in a buffer, which grows when needed. */
export class LineBuffer {
  #bytes: Buffer<ArrayBuffer>
  #length = 0

  /** @param expected probable number of bytes */
  constructor(expected: number) {
    this.#bytes = Buffer.from(takeBuffer(expected))
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

  /** @returns the written bytes. They are valid until `release` */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Releases the bytes for reuse. */
  release(): void {
    releaseBuffer(this.#bytes.buffer)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.from(takeBuffer((this.#length + more) * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.release()
    this.#bytes = larger
  }
}
