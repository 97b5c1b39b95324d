/** The lines of one millisecond. */
export interface LineGroup {
  /** The timestamp of the lines, `YYYY-MM-DDTHH:MM:SS.mmmZ`. These texts sort like the times. */
  readonly time: string
  /** Without line feeds. */
  readonly lines: string[]
}

/** Start of a canonical line, up to its timestamp. */
const head = '{"timestamp":"'
const timeLength = '2026-06-17T14:30:00.000Z'.length

/**
 * Groups the lines of a segment or a read by millisecond. Only one group is in memory at a time.
 *
 * @param pieces whole lines, ascending by timestamp
 */
export async function* groupLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<LineGroup, void, void> {
  let group: LineGroup | undefined
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
