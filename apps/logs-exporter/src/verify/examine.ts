import { SinkError } from '../errors.ts'
import { formatLine, parseTypedRow } from '../rows/typed-row.ts'
import { groupLines, type LineGroup } from '../segments/groups.ts'
import type { Segment } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'
import { countText, type Finding, segmentFinding } from './finding.ts'

/**
 * Reads a segment and checks its lines. They must be canonical rows of its zone and source, within its window, ascending. Reports
 * findings and continues as far as possible.
 *
 * @param tell receives findings
 * @returns the lines, for further comparison
 */
export async function* examine(
  sink: Sink,
  segment: Segment,
  tell: (finding: Finding) => void,
  signal: AbortSignal,
): AsyncGenerator<LineGroup, void, void> {
  let [flawed, flaw, latest] = [0, '', '']
  for await (const group of groupLines(readable(sink, segment, tell, signal))) {
    signal.throwIfAborted()
    for (const line of group.lines) {
      const lineFlaw = group.time < latest ? 'stands after a later one' : flawOf(line, segment)
      if (!lineFlaw) continue
      flawed++
      flaw ||= lineFlaw
    }
    if (group.time > latest) latest = group.time
    yield group
  }
  if (flawed > 0) {
    tell(
      segmentFinding(
        'foreign',
        segment,
        `has ${countText(flawed, 'row')} that do not belong to it; the first one ${flaw}`,
        flawed,
      ),
    )
  }
}

/** The readable lines of a segment. */
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

/** What is wrong with a line of a segment, as a clause; undefined if it is right. */
function flawOf(line: string, { zone, from, to, source }: Segment): string | undefined {
  try {
    const row = parseTypedRow(line)
    if (formatLine(row) !== `${line}\n`) return 'is not in canonical form'
    const [time, owner] = [Number(row[0]), String(row[1])]
    if (time < from || time >= to) return 'is outside its window'
    if (owner !== zone) return 'belongs to another zone'
    return row.at(-1) === source ? undefined : 'has another source'
  } catch {
    return 'is not a row'
  }
}
