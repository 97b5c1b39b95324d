import type { Segment, Window } from '../segments/segment.ts'
import { type Finding, findingOf, segmentFinding } from './finding.ts'

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

/** Findings that follow from the names and labels of a cluster's segments. */
export function* namesFindings({ segments, ...whole }: Cluster): Generator<Finding, void, void> {
  const windows = Map.groupBy(segments, ({ from, to }) => `${from} ${to}`)
  if (windows.size > 1) yield findingOf('overlap', whole, `${windows.size} windows share time`)
  for (const revisions of windows.values()) {
    for (const [n, segment] of revisions.entries()) {
      if (segment.revision === n) continue
      yield segmentFinding('revision', segment, `exists without r${n}`)
      break
    }
  }
}

/** Finds revisions with the same rows as an earlier one. A revision must have only rows that no earlier one has. */
export function* doubledFindings({ segments }: Cluster): Generator<Finding, void, void> {
  const seen = new Map<string, Segment>()
  for (const segment of segments) {
    const first = seen.get(segment.sha256)
    if (first) yield segmentFinding('doubled', segment, `repeats r${first.revision}`, segment.rows)
    else seen.set(segment.sha256, segment)
  }
}
