import { plural } from '@cdn/kit/plural'
import { SinkError } from '../errors.ts'
import { isCanonicalExtra } from '../rows/canonical.ts'
import { formatLine, parseTypedRow } from '../rows/columns.ts'
import { groupLines, type LineGroup } from '../segments/difference.ts'
import { rangeText, type Segment, type Window } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'

/**
 * Kinds of differences:
 * - `damaged`: a segment was changed or truncated, was deleted during the read, or a file does not have the name of a segment
 * - `foreign`: a row belongs to another segment, or the exporter did not write it
 * - `overlap`: two windows overlap, so rows may be duplicated
 * - `revision`: a revision exists, but not all revisions before it
 * - `doubled`: a revision repeats another one
 * - `missing`: the platform shows rows that no segment holds
 * - `surplus`: segments hold more copies of a row than the platform shows
 */
export type FindingKind = 'damaged' | 'foreign' | 'overlap' | 'revision' | 'doubled' | 'missing' | 'surplus'

export interface Finding extends Window {
  readonly kind: FindingKind
  /** Complete description: the zone, the window, the revision if it concerns one segment, and what is wrong. */
  readonly sentence: string
}

/** Creates the finding of a window or a segment. The sentence begins with the zone and the window. */
export function findingOf(
  kind: FindingKind,
  { zone, from, to, revision }: Window & Partial<Pick<Segment, 'revision'>>,
  text: string,
): Finding {
  const name = revision === undefined ? '' : `r${revision} `
  const sentence = `Zone ${zone}, ${rangeText({ from, to })}: ${name}${text}.`
  return { kind, zone, from, to, sentence }
}

/** Segments with overlapping windows, usually the revisions of one window. */
export interface Cluster extends Window {
  readonly segments: readonly Segment[]
}

/** Groups segments with overlapping windows. @param segments in order of their windows */
export async function* clustersOf(segments: AsyncIterable<Segment>): AsyncGenerator<Cluster, void, void> {
  let cluster: Cluster | undefined
  for await (const segment of segments) {
    const { zone, from, to } = segment
    if (cluster && from < cluster.to) {
      cluster = { ...cluster, to: Math.max(cluster.to, to), segments: [...cluster.segments, segment] }
      continue
    }
    if (cluster) yield cluster
    cluster = { zone, from, to, segments: [segment] }
  }
  if (cluster) yield cluster
}

/** Reports findings that follow from the names and labels of a cluster's segments. */
export function reportNames({ segments, ...whole }: Cluster, report: (finding: Finding) => void): void {
  const windows = Map.groupBy(segments, ({ from, to }) => `${from} ${to}`)
  if (windows.size > 1) report(findingOf('overlap', whole, `${windows.size} windows overlap`))
  for (const revisions of windows.values()) {
    const n = revisions.findIndex(({ revision }, n) => revision !== n)
    const segment = revisions[n]
    if (segment) report(findingOf('revision', segment, `exists without r${n}`))
  }
}

/** Reports revisions with the same rows as an earlier revision. A revision must have only rows that no earlier revision has. */
export function reportDoubled({ segments }: Cluster, report: (finding: Finding) => void): void {
  const seen = new Map<string, Segment>()
  for (const segment of segments) {
    const first = seen.get(segment.sha256)
    if (first) report(findingOf('doubled', segment, `repeats r${first.revision}`))
    else seen.set(segment.sha256, segment)
  }
}

/**
 * Reads a segment and checks its lines. They must be canonical rows of its zone, within its window, ascending. Reports
 * findings and continues as far as possible.
 *
 * @param report receives findings
 * @returns the lines, for further comparison
 */
export async function* examine(
  sink: Sink,
  segment: Segment,
  report: (finding: Finding) => void,
  signal: AbortSignal,
): AsyncGenerator<LineGroup, void, void> {
  let [flawed, flaw, latest] = [0, '', '']
  for await (const group of groupLines(readable(sink, segment, report, signal))) {
    signal.throwIfAborted()
    for (const line of group.lines) {
      const lineFlaw = group.time < latest ? 'follows a later row' : flawOf(line, segment)
      if (!lineFlaw) continue
      flawed++
      flaw ||= lineFlaw
    }
    if (group.time > latest) latest = group.time
    yield group
  }
  const text = `has ${plural(flawed, 'row')} that do not belong to it; the first one ${flaw}`
  if (flawed > 0) report(findingOf('foreign', segment, text))
}

async function* readable(
  sink: Sink,
  segment: Segment,
  report: (finding: Finding) => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* sink.read(segment, signal)
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== 'damaged') throw error
    const { zone, from, to } = segment
    report({ kind: 'damaged', zone, from, to, sentence: error.message })
  }
}

/** Returns the flaw of a line in a segment, as a clause; undefined if the line is right. */
function flawOf(line: string, { zone, from, to }: Segment): string | undefined {
  try {
    const row = parseTypedRow(line)
    const others = row.at(-2)
    const isCanonical = typeof others !== 'string' || isCanonicalExtra(others)
    if (!isCanonical || formatLine(row) !== `${line}\n`) return 'is not in canonical form'
    const [time, owner] = [Number(row[0]), String(row[1])]
    if (time < from || time >= to) return 'is outside its window'
    if (owner !== zone) return 'belongs to another zone'
    return row.at(-1) === 'v2' ? undefined : 'has another source'
  } catch {
    return 'is not a row'
  }
}
