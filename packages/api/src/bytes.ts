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

/**
 * Reads a whole body. Joins chunks as they arrive, because joining them at the end would take twice the memory.
 *
 * @param expectedBytes length of the first buffer
 * @throws RangeError if the decoded body is longer than `maxBytes`; errors of the body
 */
export async function readBytes(
  reader: Pick<ReadableStreamDefaultReader<Bytes>, 'read' | 'cancel'> | null | undefined,
  maxBytes: number,
  expectedBytes?: number,
): Promise<Bytes> {
  // Without an expectation, the first chunk is the buffer: most bodies have one.
  let bytes: Bytes | undefined = expectedBytes ? new Uint8Array(Math.min(expectedBytes, maxBytes)) : undefined
  let isOwn = bytes !== undefined
  let length = 0
  for (;;) {
    const chunk = (await reader?.read())?.value
    if (!chunk) return bytes?.subarray(0, length) ?? new Uint8Array()
    const start = length
    length += chunk.length
    if (length > maxBytes) {
      await reader?.cancel().catch(() => {})
      throw new RangeError(`is longer than the limit of ${maxBytes} bytes`)
    }
    if (!bytes) {
      bytes = chunk
      continue
    }
    if (length > bytes.length || !isOwn) {
      const longer = Math.min(length * 2, maxBytes)
      bytes = isOwn ? lengthen(bytes, longer) : copyOf(bytes, longer)
      isOwn = true
    }
    bytes.set(chunk, start)
  }
}

/** Copies bytes into a longer buffer. `transfer` frees the shorter one at once, if the runtime supports it. */
function lengthen(bytes: Bytes, length: number): Bytes {
  return 'transfer' in bytes.buffer ? new Uint8Array(bytes.buffer.transfer(length)) : copyOf(bytes, length)
}

function copyOf(bytes: Bytes, length: number): Bytes {
  const copy = new Uint8Array(length)
  copy.set(bytes)
  return copy
}
