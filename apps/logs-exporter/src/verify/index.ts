import { openWindows } from '../engine/plan.ts'
import type { SinkError } from '../errors.ts'
import { difference } from '../segments/difference.ts'
import type { ExportRange, Window } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'
import {
  type Cluster,
  clustersOf,
  countText,
  doubledFindings,
  examine,
  type Finding,
  findingOf,
  namesFindings,
} from './findings.ts'
import { openPlatform, type PlatformOptions, type PlatformReader } from './platform.ts'

export type { Finding, FindingKind } from './findings.ts'

export interface VerifyOptions extends PlatformOptions {
  /** A sink that can be read back. */
  readonly sink: Sink
  readonly zones: readonly string[]
  /** In ms since 1970. By default, from the first segment of each zone until now. */
  readonly range?: ExportRange | undefined
  /** Called after each window that has segments. */
  readonly onProgress?: ((verified: Cluster) => void) | undefined
}

/** Number of zones that are verified at the same time. Most of the work is waiting for the disk and the platform. */
const parallel = 4

export interface VerifySummary {
  readonly zones: number
  readonly segments: number
  readonly rows: number
  /** Number of the platform's rows that cannot be written. The reject files hold them. */
  readonly rejected: number
}

/**
 * Verifies the content of a sink without its ledger. Compares each segment with its name, label and digest, and the segments of a
 * zone with each other. Within the retention, also compares all segments with the platform, row by row.
 *
 * @param tell receives differences
 * @throws SinkError if the sink cannot be read; ApiError or TransportError if the platform cannot be read
 */
export async function verify(options: VerifyOptions, tell: (finding: Finding) => void): Promise<VerifySummary> {
  const summary = { zones: options.zones.length, segments: 0, rows: 0, rejected: 0 }
  const left = [...options.zones]
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const work = async () => {
    for (let zone = left.shift(); zone !== undefined; zone = left.shift()) {
      const findings = verifyZone({ ...options, signal }, zone)
      let next = await findings.next()
      for (; !next.done; next = await findings.next()) tell(next.value)
      summary.segments += next.value.segments
      summary.rows += next.value.rows
      summary.rejected += next.value.rejected
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, work))
  } finally {
    stop.abort()
  }
  return summary
}

async function* verifyZone(
  options: VerifyOptions,
  zone: string,
): AsyncGenerator<Finding, Omit<VerifySummary, 'zones'>, void> {
  const { sink, signal, range, reader, onProgress } = options
  const { from, to } = range ?? { from: 0, to: Number.POSITIVE_INFINITY }
  const damaged: Finding[] = []
  const odd = ({ message }: SinkError) => damaged.push({ kind: 'damaged', zone, from, to, sentence: message })
  const platform = openPlatform(options, zone)
  let [segments, rows] = [0, 0]
  let at = range?.from
  try {
    for await (const cluster of clustersOf(sink.segments({ zone, from, to }, signal, odd))) {
      if (at !== undefined) yield* between(platform, { zone, from: at, to: cluster.from }, options)
      yield* namesFindings(cluster)
      yield* contentFindings(cluster, platform, options)
      yield* damaged.splice(0)
      segments += cluster.segments.length
      for (const segment of cluster.segments) rows += segment.rows
      at = cluster.to
      onProgress?.(cluster)
    }
    yield* damaged.splice(0)
    // Without any segment, the start of the export is unknown. Then all rows within the retention are expected.
    yield* between(platform, { zone, from: at ?? 0, to: Math.min(to, reader.now()) }, options)
  } finally {
    await platform.close()
  }
  return { segments, rows, rejected: platform.rejected() }
}

/** Reads the segments of a cluster, and compares them with the platform while it still has their rows. */
async function* contentFindings(
  cluster: Cluster,
  platform: PlatformReader,
  { sink, signal }: VerifyOptions,
): AsyncGenerator<Finding, void, void> {
  const findings: Finding[] = []
  const held = cluster.segments.map((segment) => {
    return { source: segment.source, groups: examine(sink, segment, (finding) => findings.push(finding), signal) }
  })
  if (!platform.covers(cluster)) {
    for (const { groups } of held) for await (const _ of groups);
    yield* findings
    yield* doubledFindings(cluster)
    return
  }
  let [missing, surplus] = [0, 0]
  for await (const added of difference(platform.groups(cluster), held)) {
    missing += added.lines.length
    surplus += added.missing
  }
  yield* findings
  if (missing > 0)
    yield findingOf('missing', cluster, `${countText(missing, 'row')} of the platform missing in the sink`, missing)
  if (surplus > 0) {
    yield findingOf(
      'surplus',
      cluster,
      `the sink has ${countText(surplus, 'row')} more than the platform shows`,
      surplus,
    )
  }
}

/** Looks for rows of the platform between segments. There should be none, since windows without a segment are empty. */
async function* between(
  platform: PlatformReader,
  { zone, from, to }: Window,
  { plan, reader }: VerifyOptions,
): AsyncGenerator<Finding, void, void> {
  const oldestKept = Math.max(from, reader.now() - plan.retention)
  for (const window of openWindows({ zone, from: oldestKept, to }, [], plan.window)) {
    if (!platform.covers(window)) continue
    let missing = 0
    for await (const { lines } of platform.groups(window)) missing += lines.length
    if (missing > 0)
      yield findingOf('missing', window, `${countText(missing, 'row')} of the platform, but no segment`, missing)
  }
}
