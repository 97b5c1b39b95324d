import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { hourMs } from '@cdn/kit/time'
import { SinkError } from '../../errors.ts'
import type { FileFormat } from '../../formats/format.ts'
import {
  type BatchSource,
  hourName,
  parseSegmentName,
  type SegmentId,
  segmentName,
  type Window,
} from '../../segments/segment.ts'
import {
  compareSegment,
  findSegment,
  listSegments,
  readSegment,
  type SegmentStore,
  zoneOfFolder,
} from '../segment-files.ts'
import type { Published, SegmentWriter, Sink } from '../sink.ts'
import { openSpool } from '../spool.ts'
import { type Bucket, openBucket, type S3Place } from './bucket.ts'
import { create, head, listFolders, listObjects, type ObjectBody, toInput } from './objects.ts'

export interface S3SinkOptions extends S3Place {
  /** Prefix of each key. A `/` is appended. May be empty. */
  readonly prefix: string
  /** Format of new segments. Segments in other formats are still listed and read. */
  readonly format: FileFormat
}

/** Stores segments as objects of a bucket, in any S3 store with conditional PUT. */
export function openS3Sink({ prefix: folder, format, ...place }: S3SinkOptions): Sink {
  const bucket = openBucket(place)
  const prefix = folder === '' ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`
  const store = createBucketStore(bucket, prefix)
  let isChecked = false

  async function check(signal: AbortSignal): Promise<void> {
    await checkConditionalPut(bucket, prefix, signal)
    isChecked = true
  }

  return {
    name: 's3',
    check,
    async begin(window, revision, source, signal) {
      // Test the store before the first write, because a store may ignore conditional PUT and overwrite objects.
      if (!isChecked) await check(signal)
      return beginObjectSegment({ bucket, prefix, store, format }, { ...window, revision }, source, signal)
    },
    segments: (range, signal, odd) => listSegments(store, range, signal, odd),
    read: (segment, signal) => readSegment(store, segment, signal),
    async *zones(signal) {
      for (const name of await listFolders(bucket, prefix, signal)) {
        const zone = zoneOfFolder(name.slice(0, -1))
        if (zone) yield zone
      }
    },
    async close() {
      bucket.close()
    },
  }
}

/** The objects below a prefix as a store of segments. @param prefix empty, or ends with `/` */
function createBucketStore(bucket: Bucket, prefix: string): SegmentStore {
  async function list(folder: string, signal: AbortSignal): Promise<string[]> {
    const paths: string[] = []
    for await (const key of listObjects(bucket, `${prefix}${folder}/`, '', signal)) paths.push(key.slice(prefix.length))
    return paths
  }

  /** Uses one listing, because there may be thousands of hours. */
  async function* hours({ zone, from, to }: Window, signal: AbortSignal): AsyncGenerator<string[], void, void> {
    // A window lies within an hour. So windows that overlap the range begin in the hour of `from` or later.
    const after = `${prefix}${hourName(zone, Math.max(0, from - (from % hourMs)))}`
    let paths: string[] = []
    for await (const key of listObjects(bucket, `${prefix}zone=${zone}/`, after, signal)) {
      const path = key.slice(prefix.length)
      const first = paths[0]
      if (first && posix.dirname(first) !== posix.dirname(path)) {
        yield paths
        paths = []
      }
      if ((parseSegmentName(path)?.from ?? from) >= to) break
      paths.push(path)
    }
    yield paths
  }

  return {
    parallel: 16,
    nameOf: (path) => `The object ${prefix}${path}`,
    hours,
    list,
    label: ({ path }, signal) => head(bucket, `${prefix}${path}`, signal),
    open: async (path, bytes, signal) => toInput(bucket, { key: `${prefix}${path}`, bytes }, signal),
  }
}

/** Destination and format of segments. */
interface Writing {
  readonly bucket: Bucket
  readonly prefix: string
  readonly store: SegmentStore
  readonly format: FileFormat
}

/**
 * Collects a segment in a temporary file. One conditional PUT creates the object as a whole or not at all. If the response to the
 * PUT is lost, the store refuses the next attempt (412). The digest of the existing object then shows whether it is this segment.
 */
async function beginObjectSegment(
  { bucket, prefix, store, format }: Writing,
  named: SegmentId,
  source: BatchSource,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const spool = await openSpool()
  const encoding = format.encode(spool.write, source)

  async function publish(): Promise<Published> {
    const content = await encoding.end()
    const path = segmentName(named, format.extension)
    const body = { ...spool.seal(), stream: spool.stream, mediaType: format.mediaType, label: { ...content, source } }
    const existing = await findSegment(store, named, signal)
    const isFirst = !existing && (await create(bucket, `${prefix}${path}`, body, signal))
    if (!isFirst) return compareSegment(store, existing ?? { ...named, path, format }, content, signal)
    return { outcome: 'published', segment: { ...named, ...content, source, bytes: body.bytes } }
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

const text = Buffer.from('Written by cdn-logs-exporter to test whether objects can be created conditionally.\n')
const body: ObjectBody = {
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
  mediaType: 'text/plain',
  async *stream() {
    yield text
  },
}

/**
 * Creates one small object twice. The store must refuse the second PUT (412). Otherwise a suspended worker could resume and
 * overwrite newer segments. The object stays, so that the exporter needs no permission to delete.
 */
async function checkConditionalPut(bucket: Bucket, prefix: string, signal: AbortSignal): Promise<void> {
  const key = `${prefix}.cdn-logs-exporter-probe`
  await create(bucket, key, body, signal)
  if (await create(bucket, key, body, signal)) {
    throw new SinkError(
      'permanent',
      `The store at ${bucket.place.endpoint} ignores conditional PUT (If-None-Match): it overwrote the object ${key} of the bucket ${bucket.place.bucket}. Use a store or a version that supports it; otherwise two workers could overwrite each other.`,
    )
  }
  await listFolders(bucket, prefix, signal)
  await toInput(bucket, { key, bytes: body.bytes }, signal).slice(0, 1)
}
