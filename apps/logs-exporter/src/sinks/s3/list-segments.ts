import { formatByExtension } from '../../formats/by-extension.ts'
import type { Segment, Window } from '../../segments/segment.ts'
import { bySegment, hourName, type Named, parseSegmentName } from '../../segments/segment-name.ts'
import type { Odd } from '../sink.ts'
import { SinkError } from '../sink-error.ts'
import type { S3Client } from './client.ts'
import { head, list } from './objects.ts'

/** Requests for metadata that are under way at once. */
const parallel = 16
const hour = 3_600_000

interface Found extends Named {
  readonly key: string
}

/**
 * Segments of a zone that touch a range, in order. Keys come in the order of their hours; within one they are sorted, since
 * `r10` stands before `r2` in a listing.
 *
 * @param prefix before each key; empty, or ends with `/`
 * @param odd hears of objects that are damaged or have the name of no segment; where it is absent, damage is thrown
 */
export async function* listSegments(
  client: S3Client,
  prefix: string,
  range: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<Segment, void, void> {
  async function segmentOf({ key, zone, from, to, revision }: Found): Promise<Segment | undefined> {
    try {
      return { zone, from, to, revision, ...(await head(client, key, signal)) }
    } catch (error) {
      if (!odd || !(error instanceof SinkError) || error.kind !== 'damaged') throw error
      odd(error)
      return undefined
    }
  }
  for await (const found of byHour(client, prefix, range, signal, odd)) {
    for (let at = 0; at < found.length; at += parallel) {
      for (const segment of await Promise.all(found.slice(at, at + parallel).map(segmentOf))) if (segment) yield segment
    }
  }
}

/** The objects of an hour that are segments and touch the range, in order, hour for hour. */
async function* byHour(
  client: S3Client,
  prefix: string,
  { zone, from, to }: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<Found[], void, void> {
  // A window lies within an hour, so none that touches the range begins before the hour of `from`.
  const after = `${prefix}${hourName(zone, Math.max(0, from - (from % hour)))}`
  let found: Found[] = []
  for await (const { key } of list(client, `${prefix}zone=${zone}/`, after, signal)) {
    const named = parseSegmentName(key)
    if (!named || !(await formatByExtension(named.extension))) {
      odd?.(new SinkError('damaged', `The object ${key} has the name of no segment.`))
      continue
    }
    if (named.from >= to) break
    if (named.to <= from) continue
    const first = found[0]
    if (first && hourName(zone, first.from) !== hourName(zone, named.from)) {
      yield found.sort(bySegment)
      found = []
    }
    found.push({ ...named, key })
  }
  yield found.sort(bySegment)
}
