import { formatByExtension } from '../../formats/by-extension.ts'
import { DamagedError, type Format, prove } from '../../formats/index.ts'
import type { Segment } from '../../segments/segment.ts'
import { parseSegmentName } from '../../segments/segment-name.ts'
import type { Sink } from '../sink.ts'
import { SinkError } from '../sink-error.ts'
import { checkConditionalPut } from './check.ts'
import { createS3Client, type S3Place } from './client.ts'
import { listSegments } from './list-segments.ts'
import { listFolders, toInput } from './objects.ts'
import { beginSegment, findSegment } from './write-segment.ts'

export interface S3SinkOptions extends S3Place {
  /** Before each key; a `/` is put behind it. May be empty. */
  readonly prefix: string
  /** What new segments are written as; those of any other are still found and read. */
  readonly format: Format
}

/** Segments as objects of a bucket, of any store that speaks S3 with conditional PUT (§7 of the design). */
export function openS3Sink({ prefix: folder, format, ...place }: S3SinkOptions): Sink {
  const client = createS3Client(place)
  const prefix = folder === '' ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`
  let isChecked = false

  async function check(signal: AbortSignal): Promise<void> {
    await checkConditionalPut(client, place, prefix, signal)
    isChecked = true
  }

  async function* read(segment: Segment, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const object = await findSegment(client, prefix, segment, signal)
    const named = object && parseSegmentName(object.key)
    const stored = named && (await formatByExtension(named.extension))
    if (!object || !stored) {
      const window = `${new Date(segment.from).toISOString()} to ${new Date(segment.to).toISOString()}`
      throw new SinkError(
        'damaged',
        `The object of segment r${segment.revision} of zone ${segment.zone}, ${window}, is gone.`,
      )
    }
    try {
      yield* prove(stored.decode(toInput(client, place, object, signal)), segment)
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      throw new SinkError('damaged', `The object ${object.key} ${error.message}.`)
    }
  }

  return {
    name: 's3',
    guarantee: 'exactly-once',
    check,
    async begin(window, revision, source, epoch, signal) {
      // Nothing is written to a store of which nobody knows whether it overwrites.
      if (!isChecked) await check(signal)
      return beginSegment({ client, prefix, format }, { ...window, revision }, source, epoch, signal)
    },
    segments: (zone, from, to, signal, odd) => listSegments(client, prefix, { zone, from, to }, signal, odd),
    read,
    async *zones(signal) {
      for (const name of await listFolders(client, prefix, signal)) {
        const zone = /^zone=(\d{1,19})\/$/.exec(name)?.[1]
        if (zone) yield zone
      }
    },
    async close() {},
  }
}
