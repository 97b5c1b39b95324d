const decoder = new TextDecoder()

/**
 * Reads bytes as UTF-8; what is none becomes U+FFFD, a byte order mark at the start is left out.
 *
 * @returns the text
 */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** @returns the parts one after the other, copied */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
