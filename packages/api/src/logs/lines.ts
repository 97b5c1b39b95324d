import { unlessAborted } from '../sleep.ts'
import { createWatch } from '../watch.ts'

/** The longest line in bytes; without a bound a file without line ends would be held in memory as a whole. */
const longestLine = 1_048_576

interface BodyOptions {
  readonly expectedBytes: number | undefined
  readonly idleMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Cuts a byte stream at ends of lines. Whole stretches of lines are decoded at once; only an unfinished line is kept, as
 * bytes, so a character may be cut by a chunk.
 *
 * @param body a stream of UTF-8; bytes that are none become U+FFFD
 * @param options `expectedBytes`: how long the body is to be, where that is known, since not every fetch notices one that is
 *   cut short; `idleMs`: the longest wait for a piece of it
 * @returns texts of whole lines; the last line may lack its end
 * @throws RangeError when a line is longer than 1 MiB or the length is another, a TimeoutError, the signal's reason, and what the stream fails
 *   with
 */
export async function* wholeLines(
  body: ReadableStream<Uint8Array>,
  { expectedBytes, idleMs, signal }: BodyOptions,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const reader = body.getReader()
  let rest: Uint8Array[] = []
  let restBytes = 0
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await read(reader, idleMs, signal)
      if (done) break
      bytes += value.length
      const end = value.lastIndexOf(10)
      if (end !== -1) {
        const text = decoder.decode(joined([...rest, value.subarray(0, end)]))
        rest = []
        restBytes = 0
        yield text
      }
      rest.push(value.subarray(end + 1))
      restBytes += value.length - end - 1
      if (restBytes > longestLine) throw new RangeError('a line is longer than 1 MiB')
    }
    if (bytes !== (expectedBytes ?? bytes)) throw new RangeError(`${bytes} of ${expectedBytes} bytes arrived`)
    if (restBytes > 0) yield decoder.decode(joined(rest))
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Reads one piece. The time that the caller takes between two of them does not count as waiting. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>, idleMs: number, signal: AbortSignal | undefined) {
  const watch = createWatch(idleMs, signal)
  return unlessAborted(reader.read(), watch.signal).finally(watch.end)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
