/** The longest line in bytes; without a bound a file without line ends would be held in memory as a whole. */
const longestLine = 1_048_576

/**
 * Cuts a byte stream into lines. Whole stretches of lines are decoded at once; only an unfinished line is kept, as
 * bytes, so a character may be cut by a chunk.
 *
 * @param body a stream of UTF-8; bytes that are none become U+FFFD
 * @param expectedBytes how long the body is to be, where that is known; not every fetch notices one that is cut short
 * @returns the lines of each chunk, without line ends; the last line may lack one
 * @throws RangeError when a line is longer than 1 MiB or the length is another, and what the stream fails with
 */
export async function* splitLines(
  body: ReadableStream<Uint8Array>,
  expectedBytes?: number,
): AsyncGenerator<string[], void, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const reader = body.getReader()
  let rest: Uint8Array[] = []
  let restBytes = 0
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      const end = value.lastIndexOf(10)
      if (end !== -1) {
        const lines = decoder.decode(joined([...rest, value.subarray(0, end)]))
        rest = []
        restBytes = 0
        yield lines.split('\n').map(withoutReturn)
      }
      rest.push(value.subarray(end + 1))
      restBytes += value.length - end - 1
      if (restBytes > longestLine) throw new RangeError('a line is longer than 1 MiB')
    }
    if (bytes !== (expectedBytes ?? bytes)) throw new RangeError(`${bytes} of ${expectedBytes} bytes arrived`)
    if (restBytes > 0) yield [withoutReturn(decoder.decode(joined(rest)))]
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts
  if (first && parts.length === 1) return first
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
