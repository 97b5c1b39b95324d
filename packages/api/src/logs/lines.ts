import { concat } from '../bytes.ts'

/** Maximum length of a line in bytes. Without this limit, a file without line ends would be held in memory as a whole. */
const maxLineBytes = 1_048_576

/**
 * Splits a body at line ends. Passes whole lines on as they arrive, and keeps only an unfinished line.
 *
 * @param expectedBytes length of the body, if known; needed because not every fetch detects a truncated body
 * @returns chunks of whole lines, each without its last line end
 * @throws RangeError if a line is longer than 1 MiB, or if the length of the body differs from `expectedBytes`; errors of the body
 */
export async function* wholeLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  expectedBytes: number | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const reader = body.getReader()
  let rest = new Uint8Array()
  let bytes = 0
  try {
    for (;;) {
      const { value: chunk } = await reader.read()
      if (!chunk) break
      bytes += chunk.length
      const piece = rest.length > 0 ? concat([rest, chunk]) : chunk
      const end = piece.lastIndexOf(10)
      rest = piece.subarray(end + 1)
      if (end !== -1) yield piece.subarray(0, end)
      if (rest.length > maxLineBytes) throw new RangeError('has a line of more than 1 MiB')
    }
    if (bytes !== (expectedBytes ?? bytes))
      throw new RangeError(`is incomplete: ${bytes} of ${expectedBytes} bytes arrived`)
    if (rest.length > 0) yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}
