import { plural } from '@cdn/kit/plural'
import { closedUntil, type ExportPlan, oldestKept, openWindows } from '../engine/plan.ts'
import { readAround } from '../engine/read-around.ts'
import type { SinkError } from '../errors.ts'
import type { WindowReader } from '../reader/api-reader.ts'
import type { RowEncoder } from '../rows/encoder.ts'
import { difference, groupLines, type LineGroup } from '../segments/difference.ts'
import { type ExportRange, isoTime, overlaps, type Window } from '../segments/segment.ts'
import type { Sink } from '../sinks/sink.ts'
import { type Cluster, clustersOf, examine, type Finding, findingOf, reportDoubled, reportNames } from './findings.ts'

export type { Finding, FindingKind } from './findings.ts'

export interface VerifyOptions {
  /** A sink that can be read back. */
  readonly sink: Sink
  readonly reader: WindowReader
  /** Encodes rows in the same way as the export does. */
  readonly encode: RowEncoder
  readonly plan: ExportPlan
  readonly zones: readonly string[]
  /** Zones that the platform refuses, for example because they were deleted. Their segments are compared only with each other. */
  readonly hidden?: ReadonlySet<string>
  /** In ms since 1970. By default, from the first segment of each zone until now. */
  readonly range?: ExportRange | undefined
  /** Called after each window that has segments. */
  readonly onProgress?: ((verified: Cluster) => void) | undefined
  readonly signal: AbortSignal
}

type Report = (finding: Finding) => void

/** Number of zones that are verified at the same time. Most of the work is waiting for the disk and the platform. */
const parallel = 4

/**
 * Verifies the content of a sink without its ledger. Compares each segment with its name, label and digest, and the segments of a
 * zone with each other. Within the retention, also compares the segments with the platform, row by row, except those
 * of hidden zones.
 *
 * @param report receives differences
 * @returns how much was compared. `rejected` counts the platform's rows that cannot be written; they are dead letters. `unread` has the
 *   ranges of the platform that cannot be read
 * @throws SinkError if the sink cannot be read; ApiError or TransportError if the platform cannot be read
 */
export async function verifySink(options: VerifyOptions, report: Report) {
  const summary = { zones: options.zones.length, segments: 0, rows: 0, rejected: 0, unread: [] as Window[] }
  const left = [...options.zones]
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const work = async () => {
    for (let zone = left.shift(); zone !== undefined; zone = left.shift()) {
      const platform = openPlatform({ ...options, signal }, zone)
      const onProgress = (cluster: Cluster) => {
        summary.segments += cluster.segments.length
        for (const { rows } of cluster.segments) summary.rows += rows
        options.onProgress?.(cluster)
      }
      try {
        await verifyZone({ ...options, signal, onProgress }, zone, platform, report)
      } finally {
        await platform.close()
      }
      summary.rejected += platform.rejected()
      summary.unread.push(...platform.unread)
    }
  }
  try {
    await Promise.all(Array.from({ length: parallel }, work))
  } finally {
    stop.abort()
  }
  return summary
}

async function verifyZone(options: VerifyOptions, zone: string, platform: Platform, report: Report): Promise<void> {
  const { sink, signal, range, reader, onProgress } = options
  const { from, to } = range ?? { from: 0, to: Number.POSITIVE_INFINITY }
  const damaged: Finding[] = []
  const onSkipped = ({ message }: SinkError) => damaged.push({ kind: 'damaged', zone, from, to, sentence: message })
  let at = range?.from
  for await (const cluster of clustersOf(sink.segments({ zone, from, to }, signal, onSkipped))) {
    if (at !== undefined) await compareBetween(options, { zone, from: at, to: cluster.from }, platform, report)
    reportNames(cluster, report)
    await compareContent(options, cluster, platform, report)
    damaged.splice(0).forEach(report)
    at = cluster.to
    onProgress?.(cluster)
  }
  damaged.forEach(report)
  // Without any segment, the start of the export is unknown. Then all rows within the retention are expected.
  await compareBetween(options, { zone, from: at ?? 0, to: Math.min(to, reader.now()) }, platform, report)
}

async function compareContent(
  { sink, signal }: VerifyOptions,
  cluster: Cluster,
  platform: Platform,
  report: Report,
): Promise<void> {
  const held = cluster.segments.map((segment) => examine(sink, segment, report, signal))
  if (!platform.covers(cluster)) {
    for (const groups of held) for await (const _ of groups);
    reportDoubled(cluster, report)
    return
  }
  let [missing, surplus] = [0, 0]
  for await (const added of difference(platform.groups(cluster), held)) {
    missing += added.lines.length
    surplus += added.missing
  }
  if (missing > 0)
    report(findingOf('missing', cluster, `${plural(missing, 'row')} of the platform missing in the sink`))
  const more = `the sink has ${plural(surplus, 'row')} more than the platform shows`
  // The platform shows no rows of a range that it cannot send.
  if (platform.unread.some((range) => overlaps(range, cluster))) reportDoubled(cluster, report)
  else if (surplus > 0) report(findingOf('surplus', cluster, more))
}

/** Looks for rows of the platform between two segments. Each is a difference, because windows without a segment are empty. */
async function compareBetween(
  { plan, reader }: VerifyOptions,
  { zone, from, to }: Window,
  platform: Platform,
  report: Report,
): Promise<void> {
  const start = Math.max(from, reader.now() - plan.retention)
  const bare: Window[] = []
  let missing = 0
  for (const window of openWindows({ zone, from: start, to }, [], plan.window)) {
    if (!platform.covers(window)) continue
    const before = missing
    for await (const { lines } of platform.groups(window)) missing += lines.length
    if (missing > before) bare.push(window)
  }
  const [first, last] = [bare[0], bare.at(-1)]
  if (!first || !last) return
  const where = bare.length === 1 ? '' : ` in ${bare.length} windows`
  const text = `${plural(missing, 'row')} of the platform${where}, but no segment`
  report(findingOf('missing', { zone, from: first.from, to: last.to }, text))
}

type Platform = ReturnType<typeof openPlatform>

/**
 * Reads the platform. Begins at the edge of its retention, without the windows that may leave the retention during the read. Ends
 * with the last window that must have been exported. The newest closed window does not count, because its export may not be done.
 *
 * @returns the rows of a zone, which are read once, in order of time
 */
function openPlatform({ reader, encode, plan, signal, hidden }: VerifyOptions, zone: string) {
  const end = closedUntil(reader.now(), plan) - plan.window
  let begin: number | undefined
  let rejected = 0
  const unread: Window[] = []
  let groups: AsyncGenerator<LineGroup, void, void> | undefined
  let next: IteratorResult<LineGroup, void> | undefined

  async function* read(from: number): AsyncGenerator<Uint8Array, void, void> {
    let position = from
    for await (const batch of readAround({ reader, encode, plan, signal }, { zone, from, to: end })) {
      if (batch.unread !== undefined) unread.push({ zone, from: position, to: batch.end })
      position = batch.end
      const { bytes, rejects } = encode.lines(batch)
      rejected += rejects.length
      yield bytes
    }
  }

  return {
    /** Whether the platform still has all rows of a window. The first call of `groups` decides where the read begins. */
    covers({ from, to }: Window): boolean {
      if (to > end || hidden?.has(zone)) return false
      return from >= (begin ?? oldestKept(reader.now(), plan, plan.window))
    },
    /** The rows of a covered window. Windows must be requested in order. */
    async *groups({ from, to }: Window): AsyncGenerator<LineGroup, void, void> {
      begin ??= from
      groups ??= groupLines(read(from))
      const [start, stop] = [isoTime(from), isoTime(to)]
      for (;;) {
        next ??= await groups.next()
        if (next.done || next.value.time >= stop) return
        const group = next.value
        next = undefined
        if (group.time >= start) yield group
      }
    },
    /** Number of rows so far that cannot be written as lines. They are dead letters, and in none of the groups. */
    rejected: () => rejected,
    /** Ranges that cannot be read so far. */
    unread,
    close: async () => void (await groups?.return()),
  }
}
