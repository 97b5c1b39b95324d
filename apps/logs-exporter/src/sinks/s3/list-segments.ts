import { formatByExtension } from '../../formats/by-extension.ts'
import type { Segment } from '../../segments/segment.ts'
import { bySegment, hourName, type Named, parseSegmentName } from '../../segments/segment-name.ts'
import type { S3Client } from './client.ts'
import { head, list } from './objects.ts'

/** Requests for metadata that are under way at once. */
const parallel = 16
const hour = 3_600_000

interface Found extends Named {
  readonly key: string
}

/**
 * Segments of a zone that touch `[from, to)`, in order. Keys come in the order of their hours; within one they are sorted, since `r10`
 * stands before `r2` in a listing.
 */
export async function* listSegments(
  client: S3Client,
  prefix: string,
  zone: string,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<Segment> {
  for await (const group of byHour(client, prefix, zone, from, to, signal)) {
    const wanted = group.filter((found) => found.from < to && found.to > from).sort(bySegment)
    for (let at = 0; at < wanted.length; at += parallel) {
      const some = wanted.slice(at, at + parallel)
      const labels = await Promise.all(some.map(({ key }) => head(client, key, signal)))
      for (const [n, label] of labels.entries()) {
        const { from: start = 0, to: end = 0, revision = 0 } = some[n] ?? {}
        yield { zone, from: start, to: end, revision, ...label }
      }
    }
  }
}

async function* byHour(
  client: S3Client,
  prefix: string,
  zone: string,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<Found[]> {
  // A window lies within an hour, so none that touches the range begins before the hour of `from`.
  const after = `${prefix}${hourName(zone, Math.max(0, from - (from % hour)))}`
  let group: Found[] = []
  for await (const { key } of list(client, `${prefix}zone=${zone}/`, after, signal)) {
    const named = parseSegmentName(key)
    if (!named || !(await formatByExtension(named.extension))) continue
    if (named.from >= to) break
    const first = group[0]
    if (first && hourName(zone, first.from) !== hourName(zone, named.from)) {
      yield group
      group = []
    }
    group.push({ ...named, key })
  }
  yield group
}
