import { posix } from 'node:path'
import type { Content, FileFormat } from '../../formats/index.ts'
import type { BatchSource } from '../../rows/batch.ts'
import { parseSegmentName, type SegmentId, segmentName } from '../../segments/segment-name.ts'
import { refuseOverlap } from '../overlap.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import { openSpool } from '../spool.ts'
import type { Bucket } from './client.ts'
import type { S3Folder } from './list-segments.ts'
import { create, head, type ListedObject, listObjects } from './objects.ts'

/** Destination and format of segments. */
export interface S3Writing extends S3Folder {
  readonly format: FileFormat
}

/**
 * Collects a segment in a temporary file. One conditional PUT creates the object as a whole or not at all. If the response to the
 * PUT is lost, the store refuses the next attempt (412). The digest of the existing object then shows whether it is this segment.
 */
export async function beginObjectSegment(
  { bucket, prefix, format }: S3Writing,
  named: SegmentId,
  source: BatchSource,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const spool = await openSpool()
  const encoding = format.encode(spool.write, source)

  async function publish(): Promise<Published> {
    const content = await encoding.end()
    const first = await findSegment(bucket, prefix, named, signal)
    if (first) return compare(first.key, content)
    const key = `${prefix}${segmentName(named, format.extension)}`
    const body = { ...spool.seal(), stream: spool.stream, mediaType: format.mediaType, label: { ...content, source } }
    if (!(await create(bucket, key, body, signal))) return compare(key, content)
    return { outcome: 'published', segment: { ...named, ...content, source, bytes: body.bytes } }
  }

  async function compare(key: string, ours: Content): Promise<Published> {
    const segment = { ...named, ...(await head(bucket, key, signal)) }
    return { outcome: segment.sha256 === ours.sha256 ? 'published' : 'lost', segment }
  }

  return {
    async write(lines) {
      signal.throwIfAborted()
      await encoding.write(lines)
    },
    publish: () => publish().finally(spool.close),
    async discard() {
      encoding.abort()
      await spool.close()
    },
  }
}

/**
 * Finds the object of a window and revision. It may have any format, because the configuration may have changed. A window lies
 * within an hour, so all objects that could overlap it are in the folder of its hour.
 *
 * @throws SinkError (overlap)
 */
export async function findSegment(
  bucket: Bucket,
  prefix: string,
  named: SegmentId,
  signal: AbortSignal,
): Promise<ListedObject | undefined> {
  const name = `${prefix}${segmentName(named, '.')}`
  const present: SegmentId[] = []
  let match: ListedObject | undefined
  for await (const object of listObjects(bucket, `${posix.dirname(name)}/`, '', signal)) {
    const other = parseSegmentName(object.key)
    if (other) present.push(other)
    if (object.key.startsWith(name)) match ??= object
  }
  refuseOverlap(named, present)
  return match
}
