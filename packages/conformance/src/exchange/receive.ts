/** Reads a response as bytes, so that a rule can judge them. */

import { hasWholeCoding } from './coding.ts'
import type { ReceivedResponse } from './exchange.ts'

/** Maximum length of a body in characters. The rest is not read, so that no body fills the memory. Normal responses are shorter. */
const maxBody = 24 * 1024 * 1024

/** Yields the parts of a body. The error of a time-out says that the response began. */
async function* withoutEnd(body: Response['body'], status: number): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch (error) {
    if (Object(error).name !== 'TimeoutError') throw error
    throw new DOMException(`status ${status}, then no end of the body`, 'TimeoutError')
  }
}

/** The byte order mark of UTF-8. */
const mark = [0xef, 0xbb, 0xbf]

/**
 * Reads a response to its end.
 *
 * @param max a longer body is cut after about this many characters
 */
export async function receive(response: Response, max: number = maxBody): Promise<ReceivedResponse> {
  const { status, headers, body } = response
  const strict = new TextDecoder('utf-8', { fatal: true })
  const isStrict = (bytes?: Uint8Array) => {
    try {
      strict.decode(bytes, { stream: bytes !== undefined })
      return true
    } catch {
      return false
    }
  }
  // A `TextDecoderStream` would take more time than everything else that records the exchange.
  const decoder = new TextDecoder()
  let [text, length, isUtf8] = ['', 0, true]
  const start: number[] = []
  for await (const bytes of withoutEnd(body, status)) {
    if (start.length < mark.length) start.push(...bytes.subarray(0, mark.length - start.length))
    text += decoder.decode(bytes, { stream: true })
    length += bytes.length
    isUtf8 &&= isStrict(bytes)
    // Leaving the loop closes the connection.
    if (text.length > max) return { status, headers, text, raw: { length, isUtf8 } }
  }
  text += decoder.decode()
  const hasMark = start.join() === mark.join()
  const raw = { length, isUtf8: isUtf8 && isStrict(), hasMark, isWhole: hasWholeCoding(response) }
  return { status, headers, text, raw }
}
