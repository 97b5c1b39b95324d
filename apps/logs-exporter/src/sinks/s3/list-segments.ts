import { hourMs } from '@cdn/kit/time'
import { SinkError } from '../../errors.ts'
import { formatByExtension } from '../../formats/by-extension.ts'
import type { Segment, Window } from '../../segments/segment.ts'
import { bySegment, hourName, parseSegmentName, type SegmentId } from '../../segments/segment-name.ts'
import type { Odd } from '../sink.ts'
import type { Bucket } from './client.ts'
import { head, listObjects } from './objects.ts'

/** Concurrent requests for metadata. */
const parallel = 16

/** Where the segments are in a bucket. */
export interface S3Folder {
  readonly bucket: Bucket
  /** Prefix of each key. Empty, or ends with `/`. */
  readonly prefix: string
}

interface SegmentObject extends SegmentId {
  readonly key: string
}

/**
 * Lists the segments of a zone that overlap a range, in order. Keys arrive hour by hour. Within an hour they are sorted here, since
 * a listing has `r10` before `r2`.
 *
 * @param odd receives objects that are damaged or do not have the name of a segment; if omitted, damage is thrown
 */
export async function* listObjectSegments(
  folder: S3Folder,
  range: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<Segment, void, void> {
  async function segmentOf({ key, zone, from, to, revision }: SegmentObject): Promise<Segment | undefined> {
    try {
      return { zone, from, to, revision, ...(await head(folder.bucket, key, signal)) }
    } catch (error) {
      if (!odd || !(error instanceof SinkError) || error.kind !== 'damaged') throw error
      odd(error)
      return undefined
    }
  }
  for await (const objects of byHour(folder, range, signal, odd)) {
    for (let at = 0; at < objects.length; at += parallel) {
      for (const segment of await Promise.all(objects.slice(at, at + parallel).map(segmentOf)))
        if (segment) yield segment
    }
  }
}

/** The segment objects that overlap the range, in order, one list per hour. */
async function* byHour(
  { bucket, prefix }: S3Folder,
  { zone, from, to }: Window,
  signal: AbortSignal,
  odd?: Odd,
): AsyncGenerator<SegmentObject[], void, void> {
  // A window lies within an hour. So windows that overlap the range begin in the hour of `from` or later.
  const after = `${prefix}${hourName(zone, Math.max(0, from - (from % hourMs)))}`
  let objects: SegmentObject[] = []
  for await (const { key } of listObjects(bucket, `${prefix}zone=${zone}/`, after, signal)) {
    const named = parseSegmentName(key)
    if (!named || !(await formatByExtension(named.extension))) {
      odd?.(new SinkError('damaged', `The object ${key} does not have the name of a segment.`))
      continue
    }
    if (named.from >= to) break
    if (named.to <= from) continue
    const first = objects[0]
    if (first && hourName(zone, first.from) !== hourName(zone, named.from)) {
      yield objects.sort(bySegment)
      objects = []
    }
    objects.push({ ...named, key })
  }
  yield objects.sort(bySegment)
}
