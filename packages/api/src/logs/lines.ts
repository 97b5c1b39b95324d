import { concat } from '../bytes.ts'
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
 * Cuts a byte stream at ends of lines. Whole stretches of lines are handed on as they came; only an unfinished line is kept.
 *
 * @param options `expectedBytes`: how long the body is to be, where that is known, since not every fetch notices one that is
 *   cut short; `idleMs`: the longest wait for a piece of it
 * @returns whole lines; the last one of each piece lacks its end
 * @throws RangeError when a line is longer than 1 MiB or the length is another, a TimeoutError, the signal's reason, and what the stream fails
 *   with
 */
export async function* wholeLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { expectedBytes, idleMs, signal }: BodyOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const reader = body.getReader()
  let rest = new Uint8Array()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await read(reader, idleMs, signal)
      if (done) break
      bytes += value.length
      const piece = rest.length > 0 ? concat([rest, value]) : value
      const end = piece.lastIndexOf(10)
      rest = piece.subarray(end + 1)
      if (end !== -1) yield piece.subarray(0, end)
      if (rest.length > longestLine) throw new RangeError('a line is longer than 1 MiB')
    }
    if (bytes !== (expectedBytes ?? bytes)) throw new RangeError(`${bytes} of ${expectedBytes} bytes arrived`)
    if (rest.length > 0) yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Reads one piece. The time that the caller takes between two of them does not count as waiting. */
async function read(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  idleMs: number,
  signal: AbortSignal | undefined,
) {
  const watch = createWatch(idleMs, signal)
  return unlessAborted(reader.read(), watch.signal).finally(watch.end)
}
