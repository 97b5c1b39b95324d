import type { BodyReader, Bytes } from './fetch/body.ts'

const decoder = new TextDecoder()

/**
 * Decodes bytes as UTF-8. Invalid sequences become U+FFFD; a byte order mark at the start is removed.
 *
 * @returns the text
 */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

const mark = '\ufffd'

/** Number of byte sequences that `decode` has replaced, because they are not UTF-8. @param text the decoded bytes */
export function countReplaced(bytes: Uint8Array, text: string): number {
  if (!text.includes(mark)) return 0
  let sent = 0
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) sent++
  return text.split(mark).length - 1 - sent
}

/**
 * Reads a whole body. Joins chunks as they arrive, because joining them at the end would take twice the memory.
 *
 * @param toError creates the error of a decoded body that is longer than `maxBytes`
 * @throws the error of `toError`; errors of the body
 */
export async function readBytes(
  reader: BodyReader | null | undefined,
  maxBytes: number,
  toError: () => Error,
): Promise<Bytes> {
  let bytes: Bytes = new Uint8Array()
  let length = 0
  let isOwn = false
  for (;;) {
    const chunk = (await reader?.read())?.value
    if (!chunk) return bytes.subarray(0, length)
    const start = length
    length += chunk.length
    if (length > maxBytes) {
      reader?.cancel().catch(() => {})
      throw toError()
    }
    if (start === 0)
      bytes = chunk // most bodies have only this chunk, which needs no copy
    else {
      if (!isOwn) bytes = bytes.slice()
      isOwn = true
      if (length > bytes.length) bytes = lengthen(bytes, Math.min(Math.max(length, start * 2), maxBytes))
      bytes.set(chunk, start)
    }
  }
}

/** Copies bytes into a longer buffer. `transfer` frees the shorter buffer at once, if the runtime supports it. */
export function lengthen(bytes: Bytes, length: number): Bytes {
  if ('transfer' in bytes.buffer) return new Uint8Array(bytes.buffer.transfer(length))
  const copy = new Uint8Array(length)
  copy.set(bytes)
  return copy
}
