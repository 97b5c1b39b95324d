/**
 * Reads a whole body of limited length.
 *
 * @param maxBytes limit of the decoded body
 * @returns undefined if the body is longer; the rest is not read, and the stream is cancelled
 * @throws the error of the stream
 */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
