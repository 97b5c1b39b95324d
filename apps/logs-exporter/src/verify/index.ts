import { openWindows } from '../engine/plan.ts'
import { difference } from '../segments/difference.ts'
import type { Window } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { type Cluster, clustersOf, doubledFindings, namesFindings } from './clusters.ts'
import { examine } from './examine.ts'
import { type Finding, findingOf, rowsText } from './finding.ts'
import { openPlatform, type Platform, type PlatformOptions } from './platform.ts'

export type { Finding, FindingKind } from './finding.ts'

export interface VerifyOptions extends PlatformOptions {
  readonly sink: Sink
  readonly zones: readonly string[]
  /** In ms since 1970; from the first segment of a zone to the last where absent. */
  readonly range?: { readonly from: number; readonly to: number }
}

/** What was looked at. */
export interface Summary {
  readonly zones: number
  readonly segments: number
  readonly rows: number
  /** Rows that the platform shows and that cannot be written: they belong to the reject files. */
  readonly rejected: number
}

/**
 * Looks whether a sink holds what it should, without its ledger: each segment against its name, label and digest, the
 * segments of a zone against one another, and, within the retention, all of them against the platform, row for row.
 *
 * @yields what differs
 * @throws SinkError where the sink cannot be read at all; CallError where the platform cannot
 */
export async function* verify(options: VerifyOptions): AsyncGenerator<Finding, Summary, void> {
  const { sink } = options
  if (sink.guarantee !== 'exactly-once') {
    throw new SinkError(
      'permanent',
      `What went to ${sink.name} cannot be read back; verify needs files, s3 or postgres.`,
    )
  }
  let summary: Summary = { zones: 0, segments: 0, rows: 0, rejected: 0 }
  for (const zone of options.zones) {
    const { segments, rows, rejected } = yield* verifyZone(options, zone)
    summary = {
      zones: summary.zones + 1,
      segments: summary.segments + segments,
      rows: summary.rows + rows,
      rejected: summary.rejected + rejected,
    }
  }
  return summary
}

async function* verifyZone(
  options: VerifyOptions,
  zone: string,
): AsyncGenerator<Finding, Omit<Summary, 'zones'>, void> {
  const { sink, signal, range, reader } = options
  const { from, to } = range ?? { from: 0, to: Number.POSITIVE_INFINITY }
  const told: Finding[] = []
  const odd = ({ message }: SinkError) => told.push({ kind: 'damaged', zone, from, to, sentence: message })
  const platform = openPlatform(options, zone)
  let [segments, rows] = [0, 0]
  let at = range?.from
  try {
    for await (const cluster of clustersOf(sink.segments(zone, from, to, signal, odd))) {
      if (at !== undefined) yield* between(platform, { zone, from: at, to: cluster.from }, options)
      yield* namesFindings(cluster)
      yield* contentFindings(cluster, platform, options)
      yield* told.splice(0)
      segments += cluster.segments.length
      for (const segment of cluster.segments) rows += segment.rows
      at = cluster.to
    }
    yield* told.splice(0)
    // Without a segment nobody knows since when the zone is exported: then all that is kept is expected.
    yield* between(platform, { zone, from: at ?? 0, to: Math.min(to, reader.now()) }, options)
  } finally {
    await platform.close()
  }
  return { segments, rows, rejected: platform.rejected() }
}

/** Reads the segments of a cluster, and compares them with the platform where it still has their rows. */
async function* contentFindings(
  cluster: Cluster,
  platform: Platform,
  { sink, signal }: VerifyOptions,
): AsyncGenerator<Finding, void, void> {
  const told: Finding[] = []
  const held = cluster.segments.map((segment) => {
    return { source: segment.source, groups: examine(sink, segment, (finding) => told.push(finding), signal) }
  })
  if (!platform.covers(cluster)) {
    for (const { groups } of held) for await (const _ of groups);
    yield* told
    yield* doubledFindings(cluster)
    return
  }
  let [missing, surplus] = [0, 0]
  for await (const added of difference(platform.groups(cluster), held)) {
    missing += added.lines.length
    surplus += added.missing
  }
  yield* told
  if (missing > 0)
    yield findingOf('missing', cluster, `${rowsText(missing)} of the platform missing in the sink`, missing)
  if (surplus > 0) {
    yield findingOf('surplus', cluster, `the sink has ${rowsText(surplus)} more than the platform shows`, surplus)
  }
}

/** Looks for rows of the platform where the sink has no segment: an empty window has none. */
async function* between(
  platform: Platform,
  { zone, from, to }: Window,
  { plan, reader }: VerifyOptions,
): AsyncGenerator<Finding, void, void> {
  const kept = Math.max(from, reader.now() - plan.retention)
  for (const window of openWindows(zone, kept, to, [], plan.window)) {
    if (!platform.covers(window)) continue
    let missing = 0
    for await (const { lines } of platform.groups(window)) missing += lines.length
    if (missing > 0) yield findingOf('missing', window, `${rowsText(missing)} of the platform, and no segment`, missing)
  }
}
