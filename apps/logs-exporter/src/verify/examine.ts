import { formatLine, parseLine } from '../rows/typed-row.ts'
import { type Group, groupLines } from '../segments/groups.ts'
import type { Segment } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { type Finding, rowsText, segmentFinding } from './finding.ts'

/**
 * Reads a segment and holds its lines against what a segment promises: canonical rows of its zone and source, within its
 * window, ascending. What is wrong is told, and the reading goes on as far as it can.
 *
 * @param tell hears of findings
 * @returns the lines, so that they can be compared on
 */
export async function* examine(
  sink: Sink,
  segment: Segment,
  tell: (finding: Finding) => void,
  signal: AbortSignal,
): AsyncGenerator<Group, void, void> {
  let [flawed, flaw, latest] = [0, '', '']
  for await (const group of groupLines(readable(sink, segment, tell, signal))) {
    signal.throwIfAborted()
    for (const line of group.lines) {
      const found = group.time < latest ? 'stands after a later one' : flawOf(line, segment)
      if (!found) continue
      flawed++
      flaw ||= found
    }
    if (group.time > latest) latest = group.time
    yield group
  }
  if (flawed > 0) {
    tell(
      segmentFinding('foreign', segment, `has ${rowsText(flawed)} that do not belong there; the first ${flaw}`, flawed),
    )
  }
}

/** The lines of a segment as far as they can be read. */
async function* readable(
  sink: Sink,
  segment: Segment,
  tell: (finding: Finding) => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* sink.read(segment, signal)
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== 'damaged') throw error
    const { zone, from, to, revision } = segment
    tell({ kind: 'damaged', zone, from, to, revision, sentence: error.message })
  }
}

/** What is wrong with a line of a segment. */
function flawOf(line: string, { zone, from, to, source }: Segment): string | undefined {
  try {
    const row = parseLine(line)
    if (formatLine(row) !== `${line}\n`) return 'is not as the exporter writes it'
    const [time, owner] = [Number(row[0]), String(row[1])]
    if (time < from || time >= to) return 'is of another time'
    if (owner !== zone) return 'is of another zone'
    return row.at(-1) === source ? undefined : 'is of another source'
  } catch {
    return 'is no row'
  }
}
