/** Lines on one millisecond. */
export interface Group {
  /** The timestamp as the lines show it, `YYYY-MM-DDTHH:MM:SS.mmmZ`: texts of this form order like the times they stand for. */
  readonly time: string
  /** Without their line feeds. */
  readonly lines: string[]
}

/** How a canonical line begins; its timestamp follows. */
const head = '{"timestamp":"'
const timeLength = '2026-06-17T14:30:00.000Z'.length

/**
 * Gathers the lines of a segment, or of a reading, by millisecond; only one of them is held at a time.
 *
 * @param pieces whole lines, ascending by timestamp
 */
export async function* groupLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Group, void, void> {
  let group: Group | undefined
  for await (const piece of pieces) {
    for (const line of textLines(piece)) {
      const time = line.slice(head.length, head.length + timeLength)
      if (group?.time !== time) {
        if (group) yield group
        group = { time, lines: [] }
      }
      group.lines.push(line)
    }
  }
  if (group) yield group
}

function* textLines(piece: Uint8Array): Generator<string, void, void> {
  const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString()
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    yield text.slice(start, stop)
    start = stop + 1
  }
}
