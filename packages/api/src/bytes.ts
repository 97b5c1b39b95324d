const decoder = new TextDecoder()

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Decodes bytes as UTF-8. Invalid sequences become U+FFFD; a byte order mark at the start is removed.
 *
 * @returns the text
 */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** @returns a copy of the parts, concatenated */
export function concat(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/**
 * Reads a whole body. Joins chunks as they arrive, because joining them at the end would take twice the memory.
 *
 * @param expectedBytes length of the first buffer
 * @throws RangeError if the decoded body is longer than `maxBytes`; errors of the body
 */
export async function readBytes(
  body: ReadableStream<Bytes> | null | undefined,
  maxBytes: number,
  expectedBytes = 1024,
): Promise<Bytes> {
  const reader = body?.getReader()
  let bytes: Bytes = new Uint8Array(Math.min(expectedBytes, maxBytes))
  let length = 0
  for (;;) {
    const chunk = (await reader?.read())?.value
    if (!chunk) return bytes.subarray(0, length)
    const start = length
    length += chunk.length
    if (length > maxBytes) {
      await reader?.cancel().catch(() => {})
      throw new RangeError(`is longer than the limit of ${maxBytes} bytes`)
    }
    if (length > bytes.length) {
      bytes = lengthen(bytes, Math.min(length * 2, maxBytes))
    }
    bytes.set(chunk, start)
  }
}

/** Copies bytes into a longer buffer. `transfer` frees the shorter one at once, if the runtime supports it. */
function lengthen(bytes: Bytes, length: number): Bytes {
  if ('transfer' in bytes.buffer) return new Uint8Array(bytes.buffer.transfer(length))
  const longer = new Uint8Array(length)
  longer.set(bytes)
  return longer
}
