import { SinkError } from '../../errors.ts'
import { formatByExtension } from '../../formats/by-extension.ts'
import { DamagedError, type FileFormat, prove } from '../../formats/index.ts'
import type { Segment } from '../../segments/segment.ts'
import { parseSegmentName } from '../../segments/segment-name.ts'
import type { Sink } from '../sink.ts'
import { checkConditionalPut } from './check.ts'
import { openBucket, type S3Place } from './client.ts'
import { listObjectSegments } from './list-segments.ts'
import { listFolders, toInput } from './objects.ts'
import { beginObjectSegment, findSegment } from './write-segment.ts'

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
  let isChecked = false

  async function check(signal: AbortSignal): Promise<void> {
    await checkConditionalPut(bucket, prefix, signal)
    isChecked = true
  }

  async function* read(segment: Segment, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const object = await findSegment(bucket, prefix, segment, signal)
    const named = object && parseSegmentName(object.key)
    const stored = named && (await formatByExtension(named.extension))
    if (!object || !stored) {
      const window = `${new Date(segment.from).toISOString()} to ${new Date(segment.to).toISOString()}`
      throw new SinkError(
        'damaged',
        `The object of segment r${segment.revision} of zone ${segment.zone}, ${window}, is missing.`,
      )
    }
    try {
      yield* prove(stored.decode(toInput(bucket, object, signal)), segment)
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      throw new SinkError('damaged', `The object ${object.key} ${error.message}.`)
    }
  }

  return {
    name: 's3',
    guarantee: 'exactly-once',
    check,
    async begin(window, revision, source, signal) {
      // Test the store before the first write, because a store may ignore conditional PUT and overwrite objects.
      if (!isChecked) await check(signal)
      return beginObjectSegment({ bucket, prefix, format }, { ...window, revision }, source, signal)
    },
    segments: (range, signal, odd) => listObjectSegments({ bucket, prefix }, range, signal, odd),
    read,
    async *zones(signal) {
      for (const name of await listFolders(bucket, prefix, signal)) {
        const zone = /^zone=(\d{1,19})\/$/.exec(name)?.[1]
        if (zone) yield zone
      }
    },
    async close() {
      bucket.close()
    },
  }
}
